import { expect, test, vi } from 'vitest'
import { trayMenu } from './menu.ts'
import { CrashCount } from './page-life.ts'

const labels = (agents: number, requests = 0) =>
  trayMenu({ agents, requests, open: () => {}, quit: () => {} }).items.flatMap(({ label }) => label ?? [])

test('the tray shows the number of running agents, and opens the window or quits', () => {
  expect(labels(0)).toEqual(['No agents running', 'Open window', 'Quit'])
  expect(labels(1)[0]).toBe('1 agent running')
  expect(labels(24)[0]).toBe('24 agents running')
  expect(labels(24, 1)[0]).toBe('24 agents running · 1 pending question')
  expect(labels(24, 3)[0]).toBe('24 agents running · 3 pending questions')
  const [open, quit] = [vi.fn(), vi.fn()]
  const { items, tip } = trayMenu({ agents: 3, requests: 0, open, quit })
  expect(tip).toBe('Troupe: 3 agents running')
  const click = (label: string) =>
    items.find((item) => item.label === label)?.click?.call(null, {} as never, undefined, {} as never)
  click('Open window')
  expect([open.mock.calls.length, quit.mock.calls.length]).toEqual([1, 0])
  click('Quit')
  expect(quit).toHaveBeenCalledOnce()
})

test('a page may crash three times in a minute, and again after a minute', () => {
  const crashes = new CrashCount()
  expect([0, 10_000, 20_000, 30_000].map((at) => crashes.mayReload(at))).toEqual([true, true, true, false])
  expect(crashes.mayReload(61_000)).toBe(true)
  expect(crashes.mayReload(62_000)).toBe(false)
  crashes.forget()
  expect(crashes.mayReload(62_001)).toBe(true)
})
