import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ok } from '../../shared/kernel/result.ts'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import { startArguments } from '../environment.ts'
import type { RuntimeDelta } from '../runtime/ports/runtime.ts'
import { agentsIn, countRunningAgents } from './desktop-watches.ts'
import { createFolderRefresh } from './folders/folder-refresh.ts'
import { createLogFile } from './log.ts'
import { fitBounds, readBounds, writeBounds } from './window/window-bounds.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-desktop-'))
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

describe('the bounds of the window', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1080 }
  const second = { x: 1920, y: 0, width: 1280, height: 1024 }
  const location = (x: number, y: number) => ({
    bounds: { x, y, width: 1000, height: 700 },
    maximized: false,
  })

  test('are restored', () => {
    const file = join(folder, 'new', 'window.json')
    expect(readBounds(file)).toBeNull()
    writeBounds(file, location(5, 6))
    expect(readBounds(file)).toEqual(location(5, 6))
  })

  test('of a window with a smaller smallest size stay as small as it was', () => {
    const file = join(folder, 'window.json')
    const bounds = { x: 1, y: 2, width: 540, height: 400 }
    writeBounds(file, { bounds, maximized: false }, 'agent-1')
    writeBounds(file, location(5, 6), 'agent-2')
    expect(readBounds(file, 'agent-1', { width: 360, height: 320 })?.bounds).toEqual(bounds)
    expect(readBounds(file, 'agent-1')?.bounds).toMatchObject({ width: 900, height: 600 })
  })

  test('are not read from an invalid file, and are never too small', () => {
    const file = join(folder, 'window.json')
    for (const text of [
      '',
      '{',
      '[]',
      '{"bounds":{"x":"1"}}',
      '{"bounds":{"x":1.5,"y":0,"width":9,"height":9}}',
    ]) {
      writeFileSync(file, text)
      expect(readBounds(file)).toBeNull()
    }
    writeFileSync(file, '{"bounds":{"x":1,"y":2,"width":10,"height":10}}')
    expect(readBounds(file)?.bounds).toEqual({ x: 1, y: 2, width: 900, height: 600 })
  })

  test('are saved for each folder; another folder has those that any window had last', () => {
    const file = join(folder, 'window.json')
    writeBounds(file, location(5, 6))
    expect(readBounds(file, '/shop')).toEqual(location(5, 6))
    writeBounds(file, location(7, 8), '/shop')
    writeBounds(file, location(9, 9), '/api')
    expect(readBounds(file, '/shop')).toEqual(location(7, 8))
    expect(readBounds(file, '/api')).toEqual(location(9, 9))
    expect([readBounds(file, '/docs'), readBounds(file)]).toEqual([location(9, 9), location(9, 9)])
    for (let at = 0; at < 100; at++) writeBounds(file, location(at, 0), `/${at}`)
    expect(readBounds(file, '/shop')).toEqual(location(99, 0))
    expect(readBounds(file, '/70')).toEqual(location(70, 0))
  })

  test('invalid bounds of a folder count as none', () => {
    const file = join(folder, 'window.json')
    for (const folders of ['[]', '7', 'null', '{"/shop":{"bounds":{"x":"1"}}}', '{"/shop":null}']) {
      writeFileSync(file, `{"bounds":{"x":1,"y":2,"width":1000,"height":700},"folders":${folders}}`)
      expect(readBounds(file, '/shop')).toEqual({ ...location(1, 2) })
      writeBounds(file, location(3, 4), '/shop')
      expect(readBounds(file, '/shop')).toEqual(location(3, 4))
    }
  })

  test('leave the place of another window free, unless that would hide the title bar', () => {
    const at = ({ bounds }: { readonly bounds: { readonly x: number; readonly y: number } }) => [
      bounds.x,
      bounds.y,
    ]
    const taken = [location(100, 100).bounds, location(132, 132).bounds]
    expect(at(fitBounds([screen], location(100, 100), taken))).toEqual([164, 164])
    expect(at(fitBounds([screen], location(500, 100), taken))).toEqual([500, 100])
    expect(at(fitBounds([screen], location(1790, 100), [location(1790, 100).bounds]))).toEqual([1790, 100])
    expect(fitBounds([screen], null, [{ x: 240, y: 90, width: 1, height: 1 }]).bounds).toMatchObject({
      x: 272,
      y: 122,
    })
  })

  test('are kept if the title bar can be reached on some screen', () => {
    expect(fitBounds([screen, second], location(2000, 100))).toEqual(location(2000, 100))
    expect(fitBounds([screen], location(-800, 100))).toEqual(location(-800, 100))
    for (const gone of [location(2000, 100), location(-950, 100), location(100, 1060), location(100, -400)])
      expect(fitBounds([screen], gone)).toEqual({
        bounds: { x: 240, y: 90, width: 1440, height: 900 },
        maximized: false,
      })
  })

  test('fill a small screen', () => {
    expect(fitBounds([{ x: 0, y: 30, width: 1024, height: 700 }], null).bounds).toEqual({
      x: 0,
      y: 30,
      width: 1024,
      height: 700,
    })
  })
})

test('the folder on the command line', () => {
  const named = (argv: readonly string[], isDefaultApp = false) =>
    startArguments({ argv, isDefaultApp, cwd: '/work' }).folder
  expect(named(['troupe'])).toBeNull()
  expect(named(['troupe', 'repo'])).toBe('/work/repo')
  expect(named(['troupe', '--no-sandbox', '/repo', '--inspect'])).toBe('/repo')
  expect(named(['electron', '.'], true)).toBeNull()
  expect(named(['electron', '-r', 'loader.cjs', '.', '--user-data-dir=/x', 'repo'], true)).toBe('/work/repo')
  expect(named(['troupe', '--', '--odd'])).toBe('/work/--odd')
  expect(named(['troupe', ''])).toBeNull()
})

test('rules and MCP servers on the command line', () => {
  const given = (...args: readonly string[]) =>
    startArguments({ argv: ['electron', '.', ...args], isDefaultApp: true, cwd: '/work' })
  expect(
    given('--allow', 'Bash(ls)', 'repo', '--deny=Read(a=b)', '--deny', 'Edit', '--mcp-config', 's.json'),
  ).toEqual({
    folder: '/work/repo',
    rules: { allow: ['Bash(ls)'], deny: ['Read(a=b)', 'Edit'] },
    mcpConfig: ['/work/s.json'],
    incomplete: null,
  })
  for (const args of [
    ['repo', '--deny'],
    ['--deny', '--no-sandbox', 'repo'],
    ['--deny=', 'repo'],
  ])
    expect(given(...args)).toMatchObject({ rules: { deny: [] }, incomplete: '--deny' })
  expect(given('--', '--deny')).toMatchObject({ rules: { deny: [] }, incomplete: null })
})

test('running agents and their questions are counted over all conversations, and for each folder', () => {
  const agents = countRunningAgents()
  const say = (id: string, running: number, requests = 0) => {
    const summary = { id, folder: `/${id}`, running, requests } as ConversationSummary
    agents.onDelta({ type: 'conversation', summary })
  }
  say('a', 3, 1)
  say('b', 2, 2)
  expect(agents.count).toEqual({ agents: 5, requests: 3 })
  expect(agentsIn(agents.conversations())).toBe(5)
  expect(agentsIn(agents.conversations('/b'))).toBe(2)
  say('a', 1)
  agents.onDelta({ type: 'conversation-gone', conversationId: 'b' })
  expect(agents.count).toEqual({ agents: 1, requests: 0 })
  say('a', 0)
  expect(agents.count).toEqual({ agents: 0, requests: 0 })
  expect(agents.conversations()).toEqual([])
})

describe('the open folder', () => {
  const wrote = {
    type: 'event',
    conversationId: 'c',
    event: { type: 'tool-ended', display: { kind: 'diff' } },
  }

  test('is checked once for a burst of writes, and pushed only if it changed', async () => {
    vi.useFakeTimers()
    let dirtyFiles = 1
    const told: (number | null)[] = []
    const refresh = createFolderRefresh({
      folders: { current: '/repo', info: async () => ok({ dirtyFiles } as never) },
      onChange: (info) => told.push(info.dirtyFiles),
    })
    for (let i = 0; i < 10; i++) {
      refresh.onDelta(wrote as RuntimeDelta)
      await vi.advanceTimersByTimeAsync(300)
    }
    expect(told).toEqual([1])
    dirtyFiles = 2
    refresh.onDelta(wrote as RuntimeDelta)
    await vi.advanceTimersByTimeAsync(1000)
    expect(told).toEqual([1, 2])
    refresh.schedule()
    refresh.stop()
    dirtyFiles = 3
    await vi.advanceTimersByTimeAsync(5000)
    expect(told).toEqual([1, 2])
  })
})

test('the log keeps each error with its reason, is readable for this user only, and is rotated', () => {
  const file = join(folder, 'logs', 'main.log')
  const open = () => createLogFile({ file, now: () => 0, echo: null })
  open().error('It failed', new Error('no disk'))
  expect(readFileSync(file, 'utf8')).toMatch(
    /^1970-01-01T00:00:00.000Z error It failed\n {2}Error: no disk\n {2}/,
  )
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  writeFileSync(file, 'x'.repeat(2 * 1024 * 1024))
  open().info('A new start')
  expect(readFileSync(file, 'utf8')).toBe('1970-01-01T00:00:00.000Z info  A new start\n')
  expect(statSync(`${file}.1`).size).toBe(2 * 1024 * 1024)
})
