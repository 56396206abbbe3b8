import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLiveOutput } from './live-output.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('live output', () => {
  it('delivers the first output at once and later output once per frame', () => {
    const delivered: string[] = []
    const live = createLiveOutput((text) => delivered.push(text))
    live.push('first')
    expect(delivered).toEqual(['first'])
    live.push('a')
    live.push('b')
    expect(delivered).toEqual(['first'])
    vi.advanceTimersByTime(20)
    expect(delivered).toEqual(['first', 'ab'])
    vi.advanceTimersByTime(1000)
    live.push('later')
    expect(delivered).toEqual(['first', 'ab', 'later'])
    expect(delivered.join('')).toBe('firstablater')
  })

  it('delivers pending output at the end, and leaves no timer', () => {
    const delivered: string[] = []
    const live = createLiveOutput((text) => delivered.push(text))
    live.push('a')
    live.push('b')
    live.end()
    expect(delivered).toEqual(['a', 'b'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('shortens a flood to its latest part and marks the omission', () => {
    const delivered: string[] = []
    const live = createLiveOutput((text) => delivered.push(text))
    live.push('start')
    for (let index = 0; index < 1000; index++) live.push(`${String(index).padStart(10_000, '.')}\n`)
    vi.advanceTimersByTime(20)
    expect(delivered).toHaveLength(2)
    expect(delivered[1]?.length).toBeLessThan(66_000)
    expect(delivered[1]).toContain('faster than it can be shown')
    expect(delivered[1]?.endsWith('999\n')).toBe(true)
  })
})
