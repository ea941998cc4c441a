"""The command line, where its extra is installed: `mindgap` or `python -m mindgap`."""

import sys


def main() -> None:
    """Run the command line, or say which extra it needs."""
    try:
        from mindgap.cli import run

        run()
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in {"click", "rich"}:
            raise
        sys.exit(f"mindgap: the command line needs {missing}; install it with: pip install 'mindgap[cli]'")
    except KeyboardInterrupt:
        # Ctrl-C while the command line was being imported.
        print("mindgap: interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
