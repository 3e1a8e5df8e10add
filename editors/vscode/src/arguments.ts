// The arguments of `redraft lsp` that the settings make.
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

/** The address of the server that writes, as the user set it; empty: a model here does. */
export function remoteServer(settings: Settings): string {
  return settings.get<string>('remote', '').trim();
}

// Of the user alone, as the settings of the same names are.
const ofUserAlone = ['--remote', '--common', '--completion-model', '--next-edit-model'];

// The arguments of a workspace are not taken if one of them says what only the user may: where text is sent, and what is read.
function furtherArguments(settings: Settings): string[] {
  const all = settings.get<string[]>('arguments', []);
  const ofUser = settings.inspect<string[]>('arguments')?.globalValue ?? [];
  return all.some((argument) => ofUserAlone.some((option) => argument.startsWith(option))) ? ofUser : all;
}
