/** The command that opens the user's terminal in a folder. */
import { basename } from 'node:path'
import type { ProgramCall } from './editor-command.ts'

/** Terminals that open in their working folder. */
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

/** The commands to try, best first. Start each one in the folder. */
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

/** Terminals that hand over to a running server need the folder as an argument. */
function folderArguments(terminal: string): readonly string[] {
  if (terminal === 'gnome-terminal') return ['--working-directory=.']
  if (terminal === 'wezterm') return ['start', '--cwd', '.']
  return []
}
