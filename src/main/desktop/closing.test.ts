import { EventEmitter } from 'node:events'
import type { App, BrowserWindow } from 'electron'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClosing } from './closing.ts'
import { fakeLog } from './testing/fake-program.ts'

/** An app and a window that end the way Electron's do. */
function program(options: { agents: number; answer?: boolean; close?: () => Promise<void> }) {
  const seen: string[] = []
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
  Object.assign(window, { hide: () => seen.push('hidden'), isDestroyed: () => false })
  window.close = () => {
    if (emit(window, 'close')) seen.push('window closed')
  }
  const log = fakeLog()
  const closing = createClosing({
    app: app as unknown as App,
    log,
    running: () => options.agents,
    ask: async (_window, agents) => {
      seen.push(`asked about ${agents}`)
      return options.answer ?? true
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

  test('stays open when the answer is no, and asks again the next time', async () => {
    const { window, seen } = program({ agents: 1, answer: false })
    window.close()
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 1'])
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['asked about 1', 'asked about 1'])
  })

  test('with nobody at work asks nothing', async () => {
    const { window, seen } = program({ agents: 0 })
    window.close()
    await vi.runAllTimersAsync()
    expect(seen).toEqual(['hidden', 'stopping', 'stopped', 'ended'])
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
