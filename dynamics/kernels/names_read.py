"""The names that a function reads and does not bind itself, found in its syntax tree."""

import ast

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def names_read(function: ast.AST, owner: str) -> list[str]:
    """The names that a function reads and does not bind itself, with their attributes: ``math.sqrt``.

    As Python looks them up inside the class ``owner``; empty: it lies in none.
    """
    return sorted(_in_class(name, owner) for name in _free_names(function))


def _free_names(node: ast.AST) -> set[str]:
    """The names as they are written."""
    read: set[str] = set()
    bound: set[str] = set()
    inside = [node.body] if isinstance(node, ast.Lambda) else node.body  # type: ignore[attr-defined]
    for each in inside:
        _look(each, read, bound)
    bound |= _parameters(node.args)  # type: ignore[attr-defined]
    return {name for name in read if name.partition(".")[0] not in bound}


def _parameters(arguments: ast.arguments) -> set[str]:
    """The names of parameters, without those of a lambda inside a default."""
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = filter(None, [arguments.vararg, arguments.kwarg])
    return {each.arg for each in [*named, *rest]}


def _look(node: ast.AST, read: set[str], bound: set[str]) -> None:
    """Find what a part of a function reads, and what it binds."""
    if isinstance(node, ast.Attribute) and (name := _dotted(node)):
        read.add(name)
    elif isinstance(node, ast.Name):
        (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
    elif isinstance(node, SCOPES):
        if not isinstance(node, ast.Lambda):
            bound.add(node.name)
        read |= _free_names(node)
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            _look(default, read, bound)
    elif isinstance(node, _COMPREHENSIONS):
        names: set[str] = set()
        own: set[str] = set()
        for child in ast.iter_child_nodes(node):
            _look(child, names, own)
        read |= {name for name in names if name.partition(".")[0] not in own}
        # what its first iterable reads is of the outer scope, even under a name of its own
        _look(node.generators[0].iter, read, bound)
    elif isinstance(node, ast.AnnAssign):
        for part in (node.target, node.value):
            if part is not None:
                _look(part, read, bound)
    else:
        for child in ast.iter_child_nodes(node):
            _look(child, read, bound)


def _dotted(node: ast.AST) -> str:
    """``a.b.c``, read; empty for an attribute of anything else than a name."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return node.id
    if not (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)):
        return ""
    before = _dotted(node.value)
    return before and f"{before}.{node.attr}"


def _in_class(dotted: str, owner: str) -> str:
    """A name as Python looks it up from inside a class, where ``__a`` is a private one: ``_Class__a``."""
    prefix = owner.lstrip("_")
    if not prefix:
        return dotted
    parts = dotted.split(".")
    for i, part in enumerate(parts):
        if part.startswith("__") and not part.endswith("__"):
            parts[i] = f"_{prefix}{part}"
    return ".".join(parts)
