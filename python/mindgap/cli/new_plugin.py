"""`mindgap new-plugin`: write a complete extension package from templates."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from string import Template

import click

from mindgap._core import VERSION
from mindgap.cli.options import epilog
from mindgap.foundation.errors import InvalidInputError
from mindgap.host.commands import BUILT_IN
from mindgap.host.manager import host
from mindgap.host.registry import COMMAND, KINDS, NAME, RESERVED

_TEMPLATES = Path(__file__).with_name("templates")
#: The kinds of plugins that can be generated.
TEMPLATE_KINDS = (*KINDS, COMMAND.name)


@click.command(
    "new-plugin",
    epilog=epilog(
        "mindgap new-plugin equal-steps --kind constraint",
        "pip install -e 'mindgap-equal-steps[test]'",
        "pytest mindgap-equal-steps",
    ),
)
@click.argument("name")
@click.option("--kind", type=click.Choice(TEMPLATE_KINDS), required=True, help="The kind of plugin.")
@click.option(
    "--dir",
    "parent",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    show_default="here",
    help="The folder in which to create the package.",
)
def command(name: str, kind: str, parent: Path) -> None:
    """Write a new extension package with a plugin NAME.

    The package can be installed as it is, is listed by `mindgap plugins` and passes its own tests. Then edit it.
    """
    for path in write_package(name, kind, parent):
        click.echo(f"wrote {path}")


def write_package(name: str, kind: str, parent: Path) -> list[Path]:
    """Write the package with the plugin `name` into the folder `parent`, and return its files."""
    name = name.removeprefix("mindgap-")
    if not NAME.fullmatch(name):
        raise InvalidInputError(
            f"{name!r} is not a valid plugin name; use lower case words joined by hyphens, as in equal-steps"
        )
    taken = next((entry for entry in host.load() if (entry.kind.name, entry.name) == (kind, name)), None)
    if taken is not None:
        raise InvalidInputError(f"the {kind} {name!r} is taken by {taken.origin}; choose another name")
    if (kind, name) in RESERVED:
        raise InvalidInputError(f"the {kind} name {name!r} has a meaning of its own; choose another name")
    if kind == COMMAND.name and name in BUILT_IN:
        raise InvalidInputError(f"the command {name!r} is mindgap's own; choose another name")
    target = parent / f"mindgap-{name}"
    if os.path.lexists(target):
        raise InvalidInputError(f"{target} exists already; choose another name or --dir")
    words = {
        "name": name,
        "distribution": f"mindgap-{name}",
        "module": f"mindgap_{name.replace('-', '_')}",
        "cls": "".join(word.capitalize() for word in name.split("-")),
        "kind": kind,
        "requires": f"mindgap{'[cli]' if kind == COMMAND.name else ''}{_compatible(VERSION)}",
    }
    files = {}
    for folder in (_TEMPLATES / "any", _TEMPLATES / kind):
        for template in sorted(folder.rglob("*.tmpl")):
            path = Template(str(template.relative_to(folder).with_suffix(""))).substitute(words)
            files[path] = Template(template.read_text("utf-8")).substitute(words)
    try:
        _write_folder(target, files)
    except OSError as error:
        raise InvalidInputError(f"cannot write {target}: {error.strerror or error}") from error
    return [target / path for path in files]


def _compatible(version: str) -> str:
    """Return the versions of mindgap that a package made for this one works with: before 1.0, those of one minor."""
    major, minor = map(int, version.split(".")[:2])
    return f">={major}.{minor},<{f'0.{minor + 1}' if major == 0 else major + 1}"


def _write_folder(target: Path, files: dict[str, str]) -> None:
    """Write files into a new folder: all of them, or none and no folder."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name[:40]}.", dir=target.parent) as drafts:
        draft = Path(drafts) / target.name
        for path, text in files.items():
            (draft / path).parent.mkdir(parents=True, exist_ok=True)
            (draft / path).write_text(text, encoding="utf-8")
        draft.rename(target)
