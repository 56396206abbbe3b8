import type { MenuItemConstructorOptions } from 'electron'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../../shared/commands/commands.ts'
import { boundKeys, type KeyBindings } from '../../../shared/commands/key-bindings.ts'
import { VIEWS } from '../../../shared/commands/views.ts'
import { drawIcon } from './app-icon.ts'
import { menuTemplate } from './menu.ts'

interface Options {
  readonly platform?: string
  readonly recentFolders?: readonly string[]
  readonly developing?: boolean
  readonly bindings?: KeyBindings['bindings']
}

function open(more: Options = {}) {
  const done: string[] = []
  const template = menuTemplate({
    platform: more.platform ?? 'linux',
    developing: more.developing ?? false,
    recentFolders: more.recentFolders ?? [],
    keysOf: (id) => boundKeys(id, { bindings: more.bindings ?? {} }),
    command: (command) => done.push(command),
    openFolder: (path) => done.push(path),
    openLog: () => done.push('log'),
    openDataFolder: () => done.push('data'),
    quit: () => done.push('quit'),
  })
  return { template, done }
}

function itemsOf(template: readonly MenuItemConstructorOptions[]): readonly MenuItemConstructorOptions[] {
  return template.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? itemsOf(item.submenu) : [])])
}

const click = (item: MenuItemConstructorOptions): void => (item.click as (() => void) | undefined)?.()

test.each(['linux', 'win32', 'darwin'])(
  'on %s the menu has each command with a menu item, once',
  (platform) => {
    const { template, done } = open({ platform })
    for (const item of itemsOf(template)) click(item)
    const commands = COMMANDS.filter(({ menu }) => menu !== undefined).map(({ id }) => id)
    expect(done.toSorted()).toEqual([...commands, 'quit', 'log', 'data'].toSorted())
  },
)

test('the menu has the items and keys of the window’s commands, in order', () => {
  const items = itemsOf(open().template).filter((item) =>
    COMMANDS.some(({ title, menu }) => title === item.label && menu !== undefined),
  )
  expect(items.map((item) => `${item.label} ${item.accelerator ?? '-'}`)).toEqual([
    'New conversation CmdOrCtrl+N',
    'Open folder… CmdOrCtrl+O',
    'Open folder in new window… CmdOrCtrl+Shift+N',
    'Export conversation… -',
    'Import conversation… -',
    'Settings CmdOrCtrl+,',
    'Stage CmdOrCtrl+1',
    'Agents CmdOrCtrl+2',
    'Timeline CmdOrCtrl+3',
    'Review CmdOrCtrl+4',
    'Environments CmdOrCtrl+6',
    'Mailbox & teams CmdOrCtrl+5',
    'Search in conversations CmdOrCtrl+Shift+F',
    'All conversations CmdOrCtrl+Shift+H',
    'Command palette CmdOrCtrl+K',
    'Changes of agents CmdOrCtrl+Shift+C',
    'Answer and reports CmdOrCtrl+J',
    'Replay, or back to live CmdOrCtrl+Shift+Y',
    'Insight -',
    'Save panel layout… -',
    'Toggle theme -',
    'Zoom in CmdOrCtrl+Plus',
    'Zoom out CmdOrCtrl+-',
    'Reset zoom CmdOrCtrl+0',
    'Test this agent CmdOrCtrl+Shift+E',
    'External agents… -',
    'Pending questions CmdOrCtrl+Shift+P',
    'Pause all agents CmdOrCtrl+.',
    'Continue all agents CmdOrCtrl+Shift+.',
    'Stop all agents -',
    'Coordinator mode CmdOrCtrl+Shift+O',
    'Send to several agents… -',
    'Tutorial -',
    'Check for updates -',
  ])
})

test('every view has an item', () => {
  const labels = itemsOf(open().template).map((item) => item.label)
  expect(labels).toEqual(expect.arrayContaining(VIEWS.map(({ title }) => title)))
})

test('the keys that the user chose are in the menu', () => {
  const bindings = { 'stop-all': { keys: 'Mod Alt ↑', line: 2 }, palette: { keys: null, line: 3 } }
  const items = itemsOf(open({ bindings }).template)
  const keysOf = (label: string) => items.find((item) => item.label === label)?.accelerator
  expect(keysOf('Stop all agents')).toBe('CmdOrCtrl+Alt+Up')
  expect(keysOf('Command palette')).toBeUndefined()
  expect(keysOf('New conversation')).toBe('CmdOrCtrl+N')
})

test('no shortcut is used twice', () => {
  for (const platform of ['linux', 'darwin']) {
    const shortcuts = itemsOf(open({ platform }).template).flatMap((item) => item.accelerator ?? [])
    expect(new Set(shortcuts).size).toBe(shortcuts.length)
  }
})

test('recent folders are listed by name, and by path if two have the same name', () => {
  const { template, done } = open({ recentFolders: ['/a/shop', '/b/shop', '/c/r&d'] })
  const recent = itemsOf(template).find((item) => item.label === 'Open recent')
  const items = recent?.submenu as MenuItemConstructorOptions[]
  expect(items.map((item) => item.label)).toEqual(['/a/shop', '/b/shop', 'r&&d'])
  for (const item of items) click(item)
  expect(done).toEqual(['/a/shop', '/b/shop', '/c/r&d'])
})

test('users can’t open the developer tools', () => {
  const roles = (developing: boolean) => itemsOf(open({ developing }).template).map((item) => item.role)
  expect(roles(false)).not.toContain('toggleDevTools')
  expect(roles(false)).not.toContain('reload')
  expect(roles(true)).toContain('toggleDevTools')
})

test('the icon is a dark square with four colored bars and transparent corners', () => {
  const size = 64
  const pixels = drawIcon(size)
  const at = (x: number, y: number) => [...pixels.subarray((y * size + x) * 4, (y * size + x) * 4 + 4)]
  expect(at(0, 0)).toEqual([0, 0, 0, 0])
  expect(at(32, 8)).toEqual([0x1e, 0x19, 0x17, 255])
  const middle = Array.from({ length: size }, (_, x) => at(x, 32).join())
  const colors = middle.filter((color, x) => color === middle[x + 1] && color !== middle[x - 1])
  expect(colors.filter((color) => color !== '30,25,23,255' && color !== '0,0,0,0')).toHaveLength(4)
})
