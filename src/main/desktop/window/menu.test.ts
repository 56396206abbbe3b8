import type { MenuItemConstructorOptions } from 'electron'
import { expect, test } from 'vitest'
import type { MenuCommand } from '../../../shared/ipc-contract.ts'
import { drawIcon } from './app-icon.ts'
import { menuTemplate } from './menu.ts'

function open(more: { platform?: string; recentFolders?: readonly string[]; developing?: boolean } = {}) {
  const done: string[] = []
  const template = menuTemplate({
    platform: more.platform ?? 'linux',
    developing: more.developing ?? false,
    recentFolders: more.recentFolders ?? [],
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

test.each(['linux', 'win32', 'darwin'])('on %s every command of the window is there once', (platform) => {
  const { template, done } = open({ platform })
  for (const item of itemsOf(template)) click(item)
  const commands: readonly MenuCommand[] = [
    'new-conversation',
    'open-folder',
    'settings',
    'stage',
    'agents',
    'palette',
    'toggle-theme',
    'stop',
    'stop-all',
  ]
  expect(done.toSorted()).toEqual([...commands, 'quit', 'log', 'data'].toSorted())
})

test('no shortcut means two things', () => {
  for (const platform of ['linux', 'darwin']) {
    const shortcuts = itemsOf(open({ platform }).template).flatMap((item) => item.accelerator ?? [])
    expect(new Set(shortcuts).size).toBe(shortcuts.length)
  }
})

test('recent folders have their names; where two have the same, their whole paths', () => {
  const { template, done } = open({ recentFolders: ['/a/shop', '/b/shop', '/c/r&d'] })
  const recent = itemsOf(template).find((item) => item.label === 'Open recent')
  const items = recent?.submenu as MenuItemConstructorOptions[]
  expect(items.map((item) => item.label)).toEqual(['/a/shop', '/b/shop', 'r&&d'])
  for (const item of items) click(item)
  expect(done).toEqual(['/a/shop', '/b/shop', '/c/r&d'])
})

test('users can’t open the developer’s tools', () => {
  const roles = (developing: boolean) => itemsOf(open({ developing }).template).map((item) => item.role)
  expect(roles(false)).not.toContain('toggleDevTools')
  expect(roles(false)).not.toContain('reload')
  expect(roles(true)).toContain('toggleDevTools')
})

test('the icon is a dark square with four coloured bars and clear corners', () => {
  const size = 64
  const pixels = drawIcon(size)
  const at = (x: number, y: number) => [...pixels.subarray((y * size + x) * 4, (y * size + x) * 4 + 4)]
  expect(at(0, 0)).toEqual([0, 0, 0, 0])
  expect(at(32, 8)).toEqual([0x1e, 0x19, 0x17, 255])
  const middle = Array.from({ length: size }, (_, x) => at(x, 32).join())
  const colours = middle.filter((colour, x) => colour === middle[x + 1] && colour !== middle[x - 1])
  expect(colours.filter((colour) => colour !== '30,25,23,255' && colour !== '0,0,0,0')).toHaveLength(4)
})
