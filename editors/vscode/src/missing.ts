// What happens while the server's executable is missing. It is looked for repeatedly, because it may be installed
// meanwhile. The user is told that it is missing, but not as soon as a window opens: VS Code may start extensions
// before it has read all settings (those of a remote machine). Then only the default is missing, and a wrong message
// cannot be withdrawn.

export const lookAgainAfter = 2000; // milliseconds
export const looksAtStart = 3; // before reporting in a window that was just opened

export class MissingExecutable {
  private timer: NodeJS.Timeout | undefined;
  private isAtStart = true; // nothing was found yet, and nothing was reported

  // `isThere` looks for it. `complain` is called once while it is missing, and `found` once it is there.
  constructor(
    private readonly isThere: () => boolean,
    private readonly found: () => void,
    private readonly complain: () => void,
  ) {}

  // It is missing. `isAsked`: the user waits for the server, and is told at once.
  wait(isAsked: boolean): void {
    this.stop();
    let looksLeft = this.isAtStart && !isAsked ? looksAtStart : 0;
    if (looksLeft === 0) {
      this.say();
    }
    this.timer = setInterval(() => {
      if (this.isThere()) {
        this.stop();
        this.found();
      } else if (looksLeft > 0 && --looksLeft === 0) {
        this.say();
      }
    }, lookAgainAfter);
  }

  // It is there.
  end(): void {
    this.stop();
    this.isAtStart = false;
  }

  // Stops looking for it.
  stop(): void {
    clearInterval(this.timer);
  }

  private say(): void {
    this.isAtStart = false;
    this.complain();
  }
}
