import { EventEmitter } from 'node:events'
import type { App, BrowserWindow } from 'electron'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClosing } from './closing.ts'
import { fakeLog } from './testing/fake-program.ts'

interface Program {
  readonly agents: number
  /** In the folder of the window. */
  readonly agentsHere?: number
  /** Another window is visible. */
  readonly other?: boolean
  /** Answers in order; the last one repeats. */
  readonly answers?: readonly ('stop' | 'keep-running' | 'cancel')[]
  readonly whenClosed?: 'ask' | 'keep-running' | 'stop'
  readonly unsaved?: readonly ('retry' | 'lose' | 'cancel')[]
  readonly close?: () => Promise<void>
}

/** A fake app and window that end as Electron's do. */
function program(options: Program) {
  const seen: string[] = []
  const answers = [...(options.answers ?? [])]
  const aboutUnsaved = [...(options.unsaved ?? [])]
  let isUnsaved = aboutUnsaved.length > 0
  let isVisible = true
  const app = new EventEmitter() as EventEmitter & { quit(): void; relaunch(): void }
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
  app.relaunch = () => void seen.push('starts again')
  app.quit = () => {
    if (emit(app, 'before-quit')) seen.push('ended')
  }
  Object.assign(window, {
    hide: () => seen.push('hidden'),
    isDestroyed: () => false,
    isVisible: () => isVisible,
    destroy: () => seen.push('destroyed'),
  })
  window.close = () => {
    if (emit(window, 'close')) seen.push('window closed')
  }
  const log = fakeLog()
  const closing = createClosing({
    app: app as unknown as App,
    log,
    running: (one) => (one === undefined ? options.agents : (options.agentsHere ?? options.agents)),
    whenClosed: () => options.whenClosed ?? 'ask',
    ask: async ({ window: parent, agents, othersStay }) => {
      seen.push(
        `asked about ${agents}${parent === null ? ' without a window' : ''}${othersStay ? ' here' : ''}`,
      )
      return answers.shift() ?? 'stop'
    },
    unsaved: () => (isUnsaved ? 'The disk is full.' : null),
    askUnsaved: async (_window, why) => {
      seen.push(`unsaved: ${why}`)
      return aboutUnsaved.shift() ?? 'cancel'
    },
    save: async () => {
      seen.push('retried')
      isUnsaved = aboutUnsaved.length > 0
    },
    hide: () => {
      isVisible = false
      seen.push('kept running')
    },
    stopAgents: async () => void seen.push('stopped here'),
    close: async () => {
      seen.push('stopping')
      await options.close?.()
      seen.push('stopped')
    },
  })
  closing.guard(window as unknown as BrowserWindow)
  const other = { isDestroyed: () => false, isVisible: () => true, hide: () => {}, on: () => {} }
  if (options.other) closing.guard(other as unknown as BrowserWindow)
  return { app, window, closing, seen, log }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('closing the window', () => {
  test('while agents run asks first, stops them, then quits', async () => {
    const { window, seen } = program({ agents: 3 })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 3', 'hidden', 'stopping', 'stopped', 'ended'])
  })

  test('stays open after Cancel, and asks again the next time', async () => {
    const { window, seen } = program({ agents: 1, answers: ['cancel', 'cancel'] })
    window.close()
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 1'])
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 1', 'asked about 1'])
  })

  test('hides the window if the agents keep running, and stops nothing', async () => {
    const { window, seen } = program({ agents: 2, answers: ['keep-running'] })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 2', 'kept running'])
  })

  test.each([
    ['keep-running', ['kept running']],
    ['stop', ['hidden', 'stopping', 'stopped', 'ended']],
  ] as const)('asks nothing if the setting is %s', async (whenClosed, expected) => {
    const { window, seen } = program({ agents: 2, whenClosed })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(expected)
  })

  test.each(['ask', 'keep-running'] as const)(
    'without running agents quits, whatever the setting (%s)',
    async (whenClosed) => {
      const { window, seen } = program({ agents: 0, whenClosed })
      window.close()
      await vi.runAllTimersAsync()
      expect(seen).toEqual(['hidden', 'stopping', 'stopped', 'ended'])
    },
  )
})

describe('restarting', () => {
  test('asks nothing about agents, and starts again once they are stopped', async () => {
    const { closing, seen } = program({ agents: 2 })
    closing.restart()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['starts again', 'hidden', 'stopping', 'stopped', 'ended'])
  })

  test('is given up for work that is not saved', async () => {
    const { closing, seen } = program({ agents: 2, unsaved: ['cancel'] })
    closing.restart()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['unsaved: The disk is full.'])
  })
})

describe('closing one of several windows', () => {
  test('without agents in its folder closes it at once, whatever works elsewhere', async () => {
    const { window, seen } = program({ agents: 5, agentsHere: 0, other: true })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['destroyed'])
  })

  test.each([
    ['keep-running', ['asked about 2 here', 'destroyed']],
    ['stop', ['asked about 2 here', 'stopped here', 'destroyed']],
    ['cancel', ['asked about 2 here']],
  ] as const)('asks about the agents in its folder only: %s', async (answer, expected) => {
    const { window, seen } = program({ agents: 5, agentsHere: 2, other: true, answers: [answer] })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(expected)
  })

  test.each([
    ['keep-running', ['destroyed']],
    ['stop', ['stopped here', 'destroyed']],
  ] as const)('asks nothing if the setting is %s', async (whenClosed, expected) => {
    const { window, seen } = program({ agents: 5, agentsHere: 2, other: true, whenClosed })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(expected)
  })

  test('quitting still asks about the agents of all folders', async () => {
    const { closing, seen } = program({ agents: 5, agentsHere: 2, other: true, answers: ['cancel'] })
    closing.quit()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 5'])
  })
})

describe('quitting', () => {
  test('asks even if closing the window keeps agents running', async () => {
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

describe('unsaved work', () => {
  test('is lost only if the user chooses so', async () => {
    const { window, seen } = program({ agents: 0, unsaved: ['cancel', 'lose'] })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['unsaved: The disk is full.'])
    window.close()
    await vi.runAllTimersAsync()
    expect(seen.slice(1)).toEqual(['unsaved: The disk is full.', 'hidden', 'stopping', 'stopped', 'ended'])
  })

  test('is written again on each Retry, and the last choice ends the questions', async () => {
    const { window, seen } = program({ agents: 1, whenClosed: 'stop', unsaved: ['retry', 'retry'] })
    window.close()
    await vi.runAllTimersAsync()
    const tried = ['unsaved: The disk is full.', 'retried']
    expect(seen).toEqual([...tried, ...tried, 'hidden', 'stopping', 'stopped', 'ended'])
  })
})

describe('quitting by the system', () => {
  test('on logout or a signal asks nothing and stops everything once', async () => {
    const { app, closing, seen } = program({ agents: 5 })
    app.quit()
    app.quit()
    closing.quit()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['hidden', 'stopping', 'stopped', 'ended'])
  })

  test('during a question ignores the later answer', async () => {
    for (const answer of ['cancel', 'keep-running', 'stop'] as const) {
      const { app, window, seen } = program({ agents: 1, answers: [answer] })
      window.close()
      app.quit()
      await vi.runAllTimersAsync()
      expect(seen).toEqual(['asked about 1', 'hidden', 'stopping', 'stopped', 'ended'])
    }
  })

  test('ends in time even if stopping hangs', async () => {
    const { app, seen, log } = program({ agents: 1, close: () => new Promise(() => {}) })
    app.quit()
    await vi.advanceTimersByTimeAsync(7000)
    expect(seen.at(-1)).toBe('stopping')
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen.at(-1)).toBe('ended')
    expect(log.lines.join()).toContain('took longer')
  })

  test('ends even if stopping fails', async () => {
    const { app, seen } = program({ agents: 1, close: () => Promise.reject(new Error('no disk')) })
    app.quit()
    await vi.runAllTimersAsync()
    expect(seen.at(-1)).toBe('ended')
  })
})
