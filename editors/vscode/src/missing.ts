// What happens while the server's executable is missing. The extension looks for it repeatedly, because the user may install
// it. It does not report it as missing as soon as a window opens: VS Code may start extensions before it has read all settings
// (those of a remote machine). Then only the default is missing, and a wrong message cannot be withdrawn. So at the start only
// a user who waits for the server gets a message.

export const lookAgainAfter = 2000; // milliseconds
export const looksAtStart = 3; // before it counts as missing in a window that was just opened

export class MissingExecutable {
  private timer: NodeJS.Timeout | undefined;
  private isAtStart = true;  // nothing was found or reported missing yet
  private isAsked = false;

  // `isThere` looks for it. `complain` is called once while it is missing, and on request, and `found` once it has been found.
  // `isForUser`: show a message, because the user requested it or has changed the settings.
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

  // It has been found.
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
