import { EventEmitter } from 'node:events'
import type { App, BrowserWindow } from 'electron'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClosing } from './closing.ts'
import { fakeLog } from './testing/fake-program.ts'

interface Program {
  readonly agents: number
  /** What is answered, one after the other; then always the last one. */
  readonly answers?: readonly ('stop' | 'keep-running' | 'cancel')[]
  readonly whenClosed?: 'ask' | 'keep-running' | 'stop'
  readonly unsaved?: readonly ('retry' | 'lose' | 'cancel')[]
  readonly close?: () => Promise<void>
}

/** An app and a window that end the way Electron's do. */
function program(options: Program) {
  const seen: string[] = []
  const answers = [...(options.answers ?? [])]
  const aboutUnsaved = [...(options.unsaved ?? [])]
  let isUnsaved = aboutUnsaved.length > 0
  let isVisible = true
  const app = new EventEmitter() as EventEmitter & { quit(): void }
  const window = new EventEmitter() as EventEmitter & { hide(): void; isDestroyed(): boolean; close(): void }
  const emit = (from: EventEmitter, name: string): boolean => {
    let prevented = false
    from.emit(name, {
      preventDefault: () => {
        prevented = true
      },
    })
    return !prevented
  }
  app.quit = () => {
    if (emit(app, 'before-quit')) seen.push('ended')
  }
  Object.assign(window, {
    hide: () => seen.push('hidden'),
    isDestroyed: () => false,
    isVisible: () => isVisible,
  })
  window.close = () => {
    if (emit(window, 'close')) seen.push('window closed')
  }
  const log = fakeLog()
  const closing = createClosing({
    app: app as unknown as App,
    log,
    running: () => options.agents,
    whenClosed: () => options.whenClosed ?? 'ask',
    ask: async (parent, agents) => {
      seen.push(`asked about ${agents}${parent === null ? ' without a window' : ''}`)
      return answers.shift() ?? 'stop'
    },
    unsaved: () => (isUnsaved ? 'The disk is full.' : null),
    askUnsaved: async (_window, why) => {
      seen.push(`unsaved: ${why}`)
      return aboutUnsaved.shift() ?? 'cancel'
    },
    save: async () => {
      seen.push('tried again')
      isUnsaved = aboutUnsaved.length > 0
    },
    hide: () => {
      isVisible = false
      seen.push('kept running')
    },
    close: async () => {
      seen.push('stopping')
      await options.close?.()
      seen.push('stopped')
    },
  })
  closing.guard(window as unknown as BrowserWindow)
  return { app, window, closing, seen, log }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('closing the window', () => {
  test('while agents work asks first, stops them, then ends', async () => {
    const { window, seen } = program({ agents: 3 })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 3', 'hidden', 'stopping', 'stopped', 'ended'])
  })

  test('stays open when the answer is to cancel, and asks again the next time', async () => {
    const { window, seen } = program({ agents: 1, answers: ['cancel', 'cancel'] })
    window.close()
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 1'])
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 1', 'asked about 1'])
  })

  test('hides it where the agents are to go on, and stops nothing', async () => {
    const { window, seen } = program({ agents: 2, answers: ['keep-running'] })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 2', 'kept running'])
  })

  test.each([
    ['keep-running', ['kept running']],
    ['stop', ['hidden', 'stopping', 'stopped', 'ended']],
  ] as const)('asks nothing where the settings say %s', async (whenClosed, expected) => {
    const { window, seen } = program({ agents: 2, whenClosed })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(expected)
  })

  test.each(['ask', 'keep-running'] as const)(
    'with nobody at work ends the program, whatever the settings say (%s)',
    async (whenClosed) => {
      const { window, seen } = program({ agents: 0, whenClosed })
      window.close()
      await vi.runAllTimersAsync()
      expect(seen).toEqual(['hidden', 'stopping', 'stopped', 'ended'])
    },
  )
})

describe('quitting', () => {
  test('asks also where closing the window means to keep running', async () => {
    const { window, closing, seen } = program({ agents: 1, whenClosed: 'keep-running' })
    window.close()
    await vi.runAllTimersAsync()
    closing.quit()
    await vi.runAllTimersAsync()
    expect(seen).toEqual([
      'kept running',
      'asked about 1 without a window',
      'hidden',
      'stopping',
      'stopped',
      'ended',
    ])
  })
})

describe('what can’t be saved', () => {
  test('is lost only if that is what a person wants', async () => {
    const { window, seen } = program({ agents: 0, unsaved: ['cancel', 'lose'] })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['unsaved: The disk is full.'])
    window.close()
    await vi.runAllTimersAsync()
    expect(seen.slice(1)).toEqual(['unsaved: The disk is full.', 'hidden', 'stopping', 'stopped', 'ended'])
  })

  test('is tried again as often as wanted, and then nothing more is asked', async () => {
    const { window, seen } = program({ agents: 1, whenClosed: 'stop', unsaved: ['retry', 'retry'] })
    window.close()
    await vi.runAllTimersAsync()
    const tried = ['unsaved: The disk is full.', 'tried again']
    expect(seen).toEqual([...tried, ...tried, 'hidden', 'stopping', 'stopped', 'ended'])
  })
})

describe('the end', () => {
  test('from outside (logging out, a signal) asks nobody, but stops everything once', async () => {
    const { app, closing, seen } = program({ agents: 5 })
    app.quit()
    app.quit()
    closing.quit()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['hidden', 'stopping', 'stopped', 'ended'])
  })

  test('comes also while somebody is asked, and their answer changes nothing any more', async () => {
    for (const answer of ['cancel', 'keep-running', 'stop'] as const) {
      const { app, window, seen } = program({ agents: 1, answers: [answer] })
      window.close()
      app.quit()
      await vi.runAllTimersAsync()
      expect(seen).toEqual(['asked about 1', 'hidden', 'stopping', 'stopped', 'ended'])
    }
  })

  test('comes in time, even when something can’t be stopped', async () => {
    const { app, seen, log } = program({ agents: 1, close: () => new Promise(() => {}) })
    app.quit()
    await vi.advanceTimersByTimeAsync(7000)
    expect(seen.at(-1)).toBe('stopping')
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen.at(-1)).toBe('ended')
    expect(log.lines.join()).toContain('took longer')
  })

  test('comes when stopping fails', async () => {
    const { app, seen } = program({ agents: 1, close: () => Promise.reject(new Error('no disk')) })
    app.quit()
    await vi.runAllTimersAsync()
    expect(seen.at(-1)).toBe('ended')
  })
})
