// The arguments of `redraft lsp` that follow from the settings.
import type * as vscode from 'vscode';

type Settings = Pick<vscode.WorkspaceConfiguration, 'get' | 'inspect'>;

export function serverArguments(settings: Settings): string[] {
  const option = (setting: string, name = setting) => {
    const value = settings.get<string>(setting, '').trim();
    return value === '' ? [] : [`--${name}`, value];
  };
  return ['lsp', ...option('target'), ...option('draft'), ...option('head'),
    ...option('completion.model', 'completion-model'), ...option('nextEdit.model', 'next-edit-model'),
    ...(remoteServer(settings) === '' ? [] : [...option('remote'), ...option('remoteModel', 'remote-model')]),
    ...settings.get<string[]>('commonFolders', []).flatMap((folder) => ['--common', folder]),
    ...furtherArguments(settings)];
}

/** The address of the remote server that the user set; empty if a local model writes. */
export function remoteServer(settings: Settings): string {
  return settings.get<string>('remote', '').trim();
}

// Options that only the user may set, like the settings of the same names.
const ofUserAlone = ['--remote', '--common', '--completion-model', '--next-edit-model'];

// A workspace's arguments are ignored if they contain an option that only the user may set: where text is sent, and what is
// read.
function furtherArguments(settings: Settings): string[] {
  const all = settings.get<string[]>('arguments', []);
  const ofUser = settings.inspect<string[]>('arguments')?.globalValue ?? [];
  return all.some((argument) => ofUserAlone.some((option) => argument.startsWith(option))) ? ofUser : all;
}
