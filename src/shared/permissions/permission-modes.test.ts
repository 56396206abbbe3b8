import { describe, expect, it } from 'vitest'
import { isSilent, modeWithoutEffect, narrowerMode, permissionModes, plainMode } from './permission-modes.ts'

const least = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions']
const modes = [...permissionModes.map(plainMode), { ...plainMode('plan'), neverAsks: true }]

describe('a narrower mode', () => {
  it('never allows more than either mode, and never asks where one of them denies', () => {
    for (const most of modes)
      for (const wanted of modes) {
        const got = narrowerMode(most, wanted)
        const rank = (mode: (typeof modes)[number]) => least.indexOf(mode.permissionMode)
        expect(rank(got)).toBe(Math.min(rank(most), rank(wanted)))
        expect(isSilent(got)).toBe(isSilent(most) || isSilent(wanted))
        expect(narrowerMode(wanted, most)).toEqual(got)
      }
  })

  it('of the same mode is that mode', () => {
    for (const mode of modes) expect(narrowerMode(mode, mode)).toEqual(mode)
  })
})

describe('a definition’s mode', () => {
  it('has no effect where it allows more than the mode above it', () => {
    const above = { most: 'default', owner: 'user' } as const
    expect(modeWithoutEffect('acceptEdits', above)).toContain('acceptEdits has no effect')
    for (const mode of ['plan', 'dontAsk', 'default', 'bubble', null] as const)
      expect(modeWithoutEffect(mode, above)).toBe(null)
    expect(modeWithoutEffect('bubble', { most: 'plan', owner: 'parent' })).toBe(null)
  })
})
