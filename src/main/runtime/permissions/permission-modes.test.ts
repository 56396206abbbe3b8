import { expect, it } from 'vitest'
import { permissionModes } from '../../../shared/permission-modes.ts'
import { narrowerMode } from './permission-modes.ts'

it('a child’s mode is never more permissive than its parent’s', () => {
  const least = ['plan', 'dontAsk', 'default', 'acceptEdits', 'bypassPermissions']
  for (const parent of permissionModes) {
    expect(narrowerMode(parent, null)).toBe(parent)
    for (const wanted of permissionModes) {
      const got = narrowerMode(parent, wanted)
      expect(least.indexOf(got)).toBe(Math.min(least.indexOf(parent), least.indexOf(wanted)))
    }
  }
})
