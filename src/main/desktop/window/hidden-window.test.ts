import { expect, test, vi } from 'vitest'
import { CrashCount } from './crash-count.ts'
import { trayMenu } from './tray-menu.ts'

const labels = (agents: number) =>
  trayMenu({ agents, open: () => {}, quit: () => {} }).items.flatMap(({ label }) => label ?? [])

test('the tray says how many agents work, and leads back and out', () => {
  expect(labels(0)).toEqual(['No agent is working', 'Open window', 'Quit'])
  expect(labels(1)[0]).toBe('1 agent is working')
  expect(labels(24)[0]).toBe('24 agents are working')
  const [open, quit] = [vi.fn(), vi.fn()]
  const { items, tip } = trayMenu({ agents: 3, open, quit })
  expect(tip).toBe('Troupe: 3 agents are working')
  const click = (label: string) =>
    items.find((item) => item.label === label)?.click?.call(null, {} as never, undefined, {} as never)
  click('Open window')
  expect([open.mock.calls.length, quit.mock.calls.length]).toEqual([1, 0])
  click('Quit')
  expect(quit).toHaveBeenCalledOnce()
})

test('a page may crash three times in a minute, and again after a quiet minute', () => {
  const crashes = new CrashCount()
  expect([0, 10_000, 20_000, 30_000].map((at) => crashes.mayLoadAgain(at))).toEqual([true, true, true, false])
  expect(crashes.mayLoadAgain(61_000)).toBe(true)
  expect(crashes.mayLoadAgain(62_000)).toBe(false)
  crashes.forget()
  expect(crashes.mayLoadAgain(62_001)).toBe(true)
})
