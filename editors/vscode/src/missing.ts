// What happens while the server's executable is missing. It is looked for repeatedly, because it may be installed
// meanwhile. Nothing is called missing as soon as a window opens: VS Code may start extensions before it has read all
// settings (those of a remote machine). Then only the default is missing, and a wrong message cannot be withdrawn. So at
// the start a message is only for who waits for the server.

export const lookAgainAfter = 2000; // milliseconds
export const looksAtStart = 3; // before it counts as missing in a window that was just opened

export class MissingExecutable {
  private timer: NodeJS.Timeout | undefined;
  private isAtStart = true; // nothing was found yet, and nothing was missing
  private isAsked = false;

  // `isThere` looks for it. `complain` is called once while it is missing, and when somebody asks, and `found` once it is
  // there. `isForUser`: with a message, since the user asked for it or has changed what was there.
  constructor(
    private readonly isThere: () => boolean,
    private readonly found: () => void,
    private readonly complain: (isForUser: boolean) => void,
  ) {}

  // It is missing. `isAsked`: the user waits for the server.
  wait(isAsked: boolean): void {
    this.stop();
    this.isAsked ||= isAsked || !this.isAtStart;
    let looksLeft = this.isAtStart ? looksAtStart : 0;
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
    this.isAsked = false;
  }

  // Stops looking for it.
  stop(): void {
    clearInterval(this.timer);
  }

  private say(): void {
    const { isAsked } = this;
    this.isAtStart = false;
    this.isAsked = false;
    this.complain(isAsked);
  }
}
