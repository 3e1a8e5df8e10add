// The walkthrough, and which of its steps are done.
import * as vscode from 'vscode';

type Step = 'hasProgram' | 'hasModel';

const done = new Map<Step, boolean>();
const opening = 5000;  // ms, after which the page is open

function tell(step: Step, is: boolean | undefined): Thenable<unknown> {
  return vscode.commands.executeCommand('setContext', `redraft.${step}`, is);
}

export function setDone(step: Step, is: boolean): void {
  done.set(step, is);
  void tell(step, is);
}

// VS Code ticks a step off when its condition becomes true while the page is open, not if it was true before.
export async function openWalkthrough(): Promise<void> {
  await Promise.all([...done.keys()].map((step) => tell(step, undefined)));
  let listening: vscode.Disposable | undefined;
  const opened = new Promise<void>((resolve) => {
    listening = vscode.window.tabGroups.onDidChangeTabs(() => resolve());
    setTimeout(resolve, opening);
  });
  await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'redraft.redraft#start', false);
  await opened;
  listening?.dispose();
  done.forEach((is, step) => void tell(step, is));
}
