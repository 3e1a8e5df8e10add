// The status bar item: the state of the model and of the active editor's edits.
import * as vscode from 'vscode';
import type { Announcement } from './announce';
import { remoteServer } from './arguments';
import type { ModelStatus, Snooze } from './protocol';
import { leading, type Session } from './session';

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('redraft', vscode.StatusBarAlignment.Right, 100);
  private model: ModelStatus | undefined;
  private problem: string | undefined;
  private snooze: Snooze | null = null;
  private lastSpeed: number | undefined; // tokens/s of the last edit

  constructor() {
    this.item.name = 'redraft';
    this.show([]);
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }

  setModel(model: ModelStatus | undefined): void {
    this.model = model;
    this.problem = undefined;
  }

  setSnooze(snooze: Snooze | null): void {
    this.snooze = snooze;
  }

  setProblem(problem: string): void {
    this.problem = problem;
  }

  show(sessions: Session[], announcement?: Announcement): void {
    this.lastSpeed = speedOf(leading(sessions)) ?? this.lastSpeed;
    const isFailed = this.problem !== undefined || this.model?.state === 'failed';
    this.item.text = this.text(sessions, announcement);
    this.item.tooltip = this.tooltip();
    this.item.command = isFailed ? 'redraft.restart' : 'redraft.showStatus';
    this.item.backgroundColor = isFailed ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
  }

  private text(sessions: Session[], announcement: Announcement | undefined): string {
    if (this.problem !== undefined || this.model?.state === 'failed') {
      return '$(error) redraft';
    }
    if (this.model?.state === 'loading') {
      return '$(sync~spin) redraft: loading the model';
    }
    const session = leading(sessions);
    const nHunks = sessions.reduce((sum, each) => sum + each.nHunks, 0);
    const hunks = `${nHunks} ${nHunks === 1 ? 'change' : 'changes'}`;
    if (session?.state === 'running') {
      const what = session.places ? `editing ${session.places}, ` : session.lines && `${session.lines}, `;
      return `$(sync~spin) redraft: ${what}${session.isThinking ? 'thinking, ' : ''}${Math.floor(session.fraction * 100)} %, ${hunks}`;
    }
    if (announcement?.reads) {
      return readingText(announcement);
    }
    const speed = session ? speedOf(session) : this.lastSpeed;
    const parts = [session && hunks, speed && `${Math.round(speed)} tokens/s`].filter(Boolean);
    return `$(${this.snooze ? 'bell-slash' : 'edit'}) redraft${this.where()}${parts.length > 0 ? ': ' : ''}${parts.join(', ')}`;
  }

  // Where text is sent, if it leaves this machine.
  private where(): string {
    const server = remoteServer(vscode.workspace.getConfiguration('redraft'));
    return server === '' ? '' : ` → ${server.replace(/^https?:\/\//, '').split('/')[0]}`;
  }

  private tooltip(): string {
    if (this.problem ?? this.model?.error) {
      return `${this.problem ?? this.model?.error}\nClick to restart the server.`;
    }
    if (!this.model) {
      return 'The server is starting.';
    }
    const snoozed = this.snooze ? '\nSuggestions are snoozed: use the command "redraft: Resume Suggestions".' : '';
    const draft = this.model.draft ? `\nDraft model: ${this.model.draft}` : '';
    const device = this.model.device === 'cuda' ? '\nIt runs on the GPU.'
      : this.model.device?.startsWith('http') ? `\nIt runs at ${this.model.device}: edited text is sent there.` : '';
    return this.model.target ? `Model: ${this.model.target}${draft}${device}${snoozed}`
      : `The model is loaded when it is first needed.${snoozed}`;
  }
}

// Undefined if the model did not run.
function speedOf(session: Session | undefined): number | undefined {
  return session?.statistics?.tokensPerSecond || undefined;
}

// The server reads this before the edit is requested.
function readingText({ lines, fraction }: Announcement): string {
  return fraction < 1 ? `$(sync~spin) redraft: ${lines}, reading ${Math.floor(fraction * 100)} %` : `$(edit) redraft: ${lines}, read`;
}
