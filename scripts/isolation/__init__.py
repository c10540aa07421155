"""Where is the arm touched? Random contacts, with and without motion, and how well they are placed."""
