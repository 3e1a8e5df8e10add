def parse(args, options):
    if not args:
        # The options are needed early:
        # they say where the file is.
        options.load(args)
        options.check(args)

    return run(args)


def run(args):
    return len(args)
