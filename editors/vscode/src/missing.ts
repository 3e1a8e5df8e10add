// What is done while the server's executable is missing. It is looked for again and again, since it may be installed
// meanwhile. That it is missing is said, but not as soon as a window opens: VS Code may start extensions before it has
// read all settings (those of a remote machine), so what is missing then is only the default, and a message that was
// false cannot be taken back.

export const lookAgainAfter = 2000; // milliseconds
export const looksAtStart = 3; // before anything is said in a window that has just been opened

export class MissingExecutable {
  private timer: NodeJS.Timeout | undefined;
  private isAtStart = true; // nothing was there yet, and nothing was said

  // `isThere` looks for it. While it is missing `complain` is called once; when it is there at last, `found`.
  constructor(
    private readonly isThere: () => boolean,
    private readonly found: () => void,
    private readonly complain: () => void,
  ) {}

  // It is missing. `isAsked`: somebody waits for the server, and is told at once.
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

  // No longer looks for it.
  stop(): void {
    clearInterval(this.timer);
  }

  private say(): void {
    this.isAtStart = false;
    this.complain();
  }
}
