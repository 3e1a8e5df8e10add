// The report of a crashed server: the signal and the stack, no text of a file.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

// A younger report belongs to the latest crash.
const recent = 120_000; // ms

function folder(): string {
  const state = process.env.XDG_STATE_HOME;
  const base = state && path.isAbsolute(state) ? state : path.join(os.homedir(), '.local', 'state');
  return path.join(base, 'redraft', 'crash-reports');
}

// The names start with the time.
async function newest(): Promise<string | undefined> {
  const names = await fs.promises.readdir(folder()).catch(() => []);
  const name = names.filter((each) => /^report-.*\.txt$/.test(each)).sort().pop();
  return name && path.join(folder(), name);
}

async function isNew(file: string): Promise<boolean> {
  const found = await fs.promises.stat(file).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < recent;
}

// After the server ended unexpectedly. A killed server leaves no report, so nothing is shown.
export async function sayCrashed(): Promise<void> {
  const file = await newest();
  if (!file || !(await isNew(file))) {
    return;
  }
  const open = 'Open Report';
  const choice = await vscode.window.showWarningMessage('redraft: the server crashed. Its report contains none of your text.', open);
  if (choice === open) {
    await vscode.window.showTextDocument(vscode.Uri.file(file));
  }
}
