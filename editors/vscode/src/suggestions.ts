// Turns suggestions on and off, for the user or only for this workspace.
import * as vscode from 'vscode';

const name = 'completion.enabled';

async function set(value: boolean, target: vscode.ConfigurationTarget): Promise<void> {
  const settings = () => vscode.workspace.getConfiguration('redraft');
  await settings().update(name, value, target);
  const word = value ? 'on' : 'off';
  if (settings().get(name) === value) {
    vscode.window.setStatusBarMessage(`redraft: suggestions are ${word}`, 5000);
    return;
  }
  const other = value ? 'off' : 'on';
  const here = `Turn ${word === 'on' ? 'On' : 'Off'} Here Too`;
  const says = `redraft: suggestions are ${word}, but this workspace turns them ${other}.`;
  if (await vscode.window.showInformationMessage(says, here)) {
    await settings().update(name, undefined, vscode.ConfigurationTarget.Workspace);
  }
}

export function registerSuggestionCommands(): vscode.Disposable[] {
  const { Global, Workspace } = vscode.ConfigurationTarget;
  const commands: [string, boolean, vscode.ConfigurationTarget][] = [
    ['enableSuggestions', true, Global],
    ['disableSuggestions', false, Global],
    ['enableSuggestionsHere', true, Workspace],
    ['disableSuggestionsHere', false, Workspace],
  ];
  return commands.map(([command, value, target]) =>
    vscode.commands.registerCommand(`redraft.${command}`, () => set(value, target)));
}
