/** Which program is the user's terminal, and how it is opened in a folder. */
import { basename } from 'node:path'
import type { ProgramCall } from './editor-command.ts'

/** Terminals that open in the folder they are started in. */
const linuxTerminals = [
  'x-terminal-emulator',
  'gnome-terminal',
  'kgx',
  'konsole',
  'xfce4-terminal',
  'kitty',
  'alacritty',
  'wezterm',
  'foot',
  'xterm',
] as const

/** The calls to try, the best first. Each is to be started in the folder. */
export function terminalCommands(
  folder: string,
  platform: string,
  environment: { readonly TERMINAL?: string | undefined },
): readonly ProgramCall[] {
  if (platform === 'darwin') return [{ program: 'open', args: ['-a', 'Terminal', folder] }]
  if (platform === 'win32')
    return [
      { program: 'wt.exe', args: ['-d', folder] },
      { program: 'cmd.exe', args: ['/c', 'start', '""', 'cmd.exe'] },
    ]
  const own = environment.TERMINAL?.trim().split(/\s+/)[0] ?? ''
  const programs = own === '' ? linuxTerminals : [own, ...linuxTerminals]
  return programs.map((program) => ({ program, args: folderArguments(basename(program)) }))
}

/** Those that hand over to a server which is already running must be told to take our folder. */
function folderArguments(terminal: string): readonly string[] {
  if (terminal === 'gnome-terminal') return ['--working-directory=.']
  if (terminal === 'wezterm') return ['start', '--cwd', '.']
  return []
}
