from .arm_file import arm_from_dict as arm_from_dict
from .arm_file import read_arm_file as read_arm_file
from .arm_writer import write_arm as write_arm
from .mjcf import mjcf_text as mjcf_text
from .urdf import read_urdf as read_urdf
from .urdf_writer import write_urdf as write_urdf
from .writing import whole_file as whole_file
from .writing import write_whole as write_whole
