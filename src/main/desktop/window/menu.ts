/** The native menu, as data. What concerns the window's content is a command that the window carries out. */
import { basename } from 'node:path'
import type { MenuItemConstructorOptions } from 'electron'
import type { MenuCommand } from '../../../shared/ipc-contract.ts'

export interface MenuOptions {
  readonly platform: string
  readonly developing: boolean
  readonly recentFolders: readonly string[]
  readonly command: (command: MenuCommand) => void
  readonly openFolder: (path: string) => void
  readonly openLog: () => void
  readonly openDataFolder: () => void
  /** Asks first if agents are at work. */
  readonly quit: () => void
}

export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const { platform, developing, recentFolders } = options
  const isMac = platform === 'darwin'
  const item = (label: string, command: MenuCommand, accelerator?: string): MenuItemConstructorOptions => ({
    label,
    click: () => options.command(command),
    ...(accelerator === undefined ? {} : { accelerator }),
  })
  const settings = item('Settings', 'settings', 'CmdOrCtrl+,')
  const quit: MenuItemConstructorOptions = {
    label: isMac ? 'Quit Troupe' : 'Quit',
    accelerator: 'CmdOrCtrl+Q',
    click: options.quit,
  }
  const separator: MenuItemConstructorOptions = { type: 'separator' }

  return [
    ...(isMac
      ? [
          {
            label: 'Troupe',
            submenu: [
              { role: 'about' as const },
              separator,
              settings,
              separator,
              { role: 'services' as const },
              separator,
              { role: 'hide' as const },
              { role: 'hideOthers' as const },
              { role: 'unhide' as const },
              separator,
              quit,
            ],
          },
        ]
      : []),
    {
      label: '&File',
      submenu: [
        item('New conversation', 'new-conversation', 'CmdOrCtrl+N'),
        item('Open folder…', 'open-folder', 'CmdOrCtrl+O'),
        {
          label: 'Open recent',
          enabled: recentFolders.length > 0,
          submenu: recentFolders.map((path) => ({
            label: recentLabel(path, recentFolders),
            click: () => options.openFolder(path),
          })),
        },
        ...(isMac ? [] : [separator, settings, separator, quit]),
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        item('Stage', 'stage', 'CmdOrCtrl+1'),
        item('Agents', 'agents', 'CmdOrCtrl+2'),
        item('Command palette', 'palette', 'CmdOrCtrl+K'),
        separator,
        item('Switch between dark and light', 'toggle-theme'),
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        { role: 'togglefullscreen' },
        ...(developing ? [separator, { role: 'reload' as const }, { role: 'toggleDevTools' as const }] : []),
      ],
    },
    {
      label: '&Agents',
      submenu: [
        item('Stop', 'stop', 'CmdOrCtrl+.'),
        item('Stop all agents', 'stop-all', 'CmdOrCtrl+Shift+.'),
      ],
    },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        { label: 'Open log', click: options.openLog },
        { label: 'Show data folder', click: options.openDataFolder },
      ],
    },
  ]
}

/** A folder's name; with the way to it where two have the same. `&` would underline the next letter. */
function recentLabel(path: string, all: readonly string[]): string {
  const name = basename(path) || path
  const isAmbiguous = all.some((other) => other !== path && basename(other) === name)
  return (isAmbiguous ? path : name).replaceAll('&', '&&')
}
