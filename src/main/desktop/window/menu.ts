/** The menus as data: of the application, and of the tray. The window carries out the commands of the registry. */
import { basename } from 'node:path'
import type { MenuItemConstructorOptions } from 'electron'
import {
  COMMANDS,
  type Command,
  type CommandId,
  type MenuSection,
} from '../../../shared/commands/commands.ts'

interface MenuOptions {
  readonly platform: string
  readonly developing: boolean
  readonly recentFolders: readonly string[]
  /** The keys of a command now; undefined: none. */
  readonly keysOf: (command: CommandId) => string | undefined
  readonly command: (command: CommandId) => void
  readonly openFolder: (path: string) => void
  readonly openLog: () => void
  readonly openDataFolder: () => void
  /** Asks first while agents are running. */
  readonly quit: () => void
}

/** The application menu. */
export function menuTemplate(options: MenuOptions): MenuItemConstructorOptions[] {
  const { platform, developing, recentFolders } = options
  const isMac = platform === 'darwin'
  const itemOf = ({ id, title }: Command): MenuItemConstructorOptions => {
    const keys = options.keysOf(id)
    return {
      label: title,
      click: () => options.command(id),
      ...(keys === undefined ? {} : { accelerator: acceleratorOf(keys) }),
    }
  }
  const section = (menu: MenuSection) => COMMANDS.filter((command) => command.menu === menu).map(itemOf)
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
              ...section('settings'),
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
        ...section('file'),
        {
          label: 'Open recent',
          enabled: recentFolders.length > 0,
          submenu: recentFolders.map((path) => ({
            label: recentLabel(path, recentFolders),
            click: () => options.openFolder(path),
          })),
        },
        ...(isMac ? [] : [separator, ...section('settings'), separator, quit]),
      ],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        ...section('view'),
        separator,
        ...section('appearance'),
        { role: 'togglefullscreen' },
        ...(developing ? [separator, { role: 'reload' as const }, { role: 'toggleDevTools' as const }] : []),
      ],
    },
    { label: '&Agents', submenu: section('agents') },
    { role: 'windowMenu' },
    {
      role: 'help',
      submenu: [
        ...section('help'),
        separator,
        { label: 'Open log', click: options.openLog },
        { label: 'Show data folder', click: options.openDataFolder },
      ],
    },
  ]
}

/** "Mod Shift P" in Electron's notation: "CmdOrCtrl+Shift+P". */
function acceleratorOf(keys: string): string {
  return keys
    .split(' ')
    .map((key) => ACCELERATOR_KEYS[key] ?? key)
    .join('+')
}

const ACCELERATOR_KEYS: Readonly<Record<string, string>> = {
  Mod: 'CmdOrCtrl',
  '+': 'Plus',
  ...{ '↑': 'Up', '↓': 'Down', '←': 'Left', '→': 'Right' },
}

/** A folder's name; the whole path where two folders share a name. A single `&` would underline the next letter. */
function recentLabel(path: string, all: readonly string[]): string {
  const name = basename(path) || path
  const isAmbiguous = all.some((other) => other !== path && basename(other) === name)
  return (isAmbiguous ? path : name).replaceAll('&', '&&')
}

interface TrayMenuOptions {
  readonly agents: number
  /** The number of pending permission requests. */
  readonly requests: number
  readonly open: () => void
  /** Asks first if agents are running. */
  readonly quit: () => void
}

/** The tray's menu while every window is hidden. */
export function trayMenu({ agents, requests, open, quit }: TrayMenuOptions): {
  readonly tip: string
  readonly items: MenuItemConstructorOptions[]
} {
  const running =
    agents === 0 ? 'No agents running' : agents === 1 ? '1 agent running' : `${agents} agents running`
  const asking =
    requests === 0 ? '' : requests === 1 ? ' · 1 pending question' : ` · ${requests} pending questions`
  const work = `${running}${asking}`
  return {
    tip: `Troupe: ${work.charAt(0).toLowerCase()}${work.slice(1)}`,
    items: [
      { label: work, enabled: false },
      { type: 'separator' },
      { label: 'Open window', click: open },
      { label: 'Quit', click: quit },
    ],
  }
}
