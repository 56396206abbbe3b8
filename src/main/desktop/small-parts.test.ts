import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ConversationSummary } from '../../shared/ipc-contract.ts'
import { ok } from '../../shared/result.ts'
import type { RuntimeDelta } from '../runtime/runtime.ts'
import { createFolderRefresh } from './folders/folder-refresh.ts'
import { createLogFile } from './log-file.ts'
import { countRunningAgents } from './running-agents.ts'
import { folderArgument } from './start-arguments.ts'
import { placeOn, readPlace, writePlace } from './window/window-place.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-desktop-'))
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

describe('the place of the window', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1080 }
  const second = { x: 1920, y: 0, width: 1280, height: 1024 }
  const place = (x: number, y: number) => ({ bounds: { x, y, width: 1000, height: 700 }, maximized: false })

  test('is remembered', () => {
    const file = join(folder, 'new', 'window.json')
    expect(readPlace(file)).toBeNull()
    writePlace(file, place(5, 6))
    expect(readPlace(file)).toEqual(place(5, 6))
  })

  test('is not taken from a file that makes no sense, and never too small', () => {
    const file = join(folder, 'window.json')
    for (const text of [
      '',
      '{',
      '[]',
      '{"bounds":{"x":"1"}}',
      '{"bounds":{"x":1.5,"y":0,"width":9,"height":9}}',
    ]) {
      writeFileSync(file, text)
      expect(readPlace(file)).toBeNull()
    }
    writeFileSync(file, '{"bounds":{"x":1,"y":2,"width":10,"height":10}}')
    expect(readPlace(file)?.bounds).toEqual({ x: 1, y: 2, width: 900, height: 600 })
  })

  test('counts where its title bar can be reached, on any screen', () => {
    expect(placeOn([screen, second], place(2000, 100))).toEqual(place(2000, 100))
    expect(placeOn([screen], place(-800, 100))).toEqual(place(-800, 100))
    for (const gone of [place(2000, 100), place(-950, 100), place(100, 1060), place(100, -400)])
      expect(placeOn([screen], gone)).toEqual({
        bounds: { x: 240, y: 90, width: 1440, height: 900 },
        maximized: false,
      })
  })

  test('on a small screen is all of it', () => {
    expect(placeOn([{ x: 0, y: 30, width: 1024, height: 700 }], null).bounds).toEqual({
      x: 0,
      y: 30,
      width: 1024,
      height: 700,
    })
  })
})

test('the folder that the program was started with', () => {
  const named = (argv: readonly string[], isDefaultApp = false) =>
    folderArgument({ argv, isDefaultApp, cwd: '/work' })
  expect(named(['troupe'])).toBeNull()
  expect(named(['troupe', 'repo'])).toBe('/work/repo')
  expect(named(['troupe', '--no-sandbox', '/repo', '--inspect'])).toBe('/repo')
  expect(named(['electron', '.'], true)).toBeNull()
  expect(named(['electron', '-r', 'loader.cjs', '.', '--user-data-dir=/x', 'repo'], true)).toBe('/work/repo')
  expect(named(['troupe', '--', '--odd'])).toBe('/work/--odd')
  expect(named(['troupe', ''])).toBeNull()
})

test('agents at work are counted over all conversations', () => {
  const agents = countRunningAgents()
  const say = (id: string, running: number) =>
    agents.hear({ type: 'conversation', summary: { id, running } as ConversationSummary })
  say('a', 3)
  say('b', 2)
  expect(agents.count).toBe(5)
  say('a', 1)
  agents.hear({ type: 'conversation-gone', conversationId: 'b' })
  expect(agents.count).toBe(1)
  say('a', 0)
  expect(agents.count).toBe(0)
})

describe('the open folder', () => {
  const wrote = {
    type: 'event',
    conversationId: 'c',
    event: { type: 'tool-ended', display: { kind: 'diff' } },
  }

  test('is looked at once for a burst of writes, and told only if something is new', async () => {
    vi.useFakeTimers()
    let dirtyFiles = 1
    const told: (number | null)[] = []
    const refresh = createFolderRefresh({
      folders: { current: '/repo', info: async () => ok({ dirtyFiles } as never) },
      changed: (info) => told.push(info.dirtyFiles),
    })
    for (let i = 0; i < 10; i++) {
      refresh.hear(wrote as RuntimeDelta)
      await vi.advanceTimersByTimeAsync(300)
    }
    expect(told).toEqual([1])
    dirtyFiles = 2
    refresh.hear(wrote as RuntimeDelta)
    await vi.advanceTimersByTimeAsync(1000)
    expect(told).toEqual([1, 2])
    refresh.soon()
    refresh.stop()
    dirtyFiles = 3
    await vi.advanceTimersByTimeAsync(5000)
    expect(told).toEqual([1, 2])
  })
})

test('the log keeps what happened, with the reason, for this user only, and does not grow for ever', () => {
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
