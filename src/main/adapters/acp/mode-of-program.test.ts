import { expect, test } from 'vitest'
import { permissionModes } from '../../../shared/permission-modes.ts'
import { modeOfProgram } from './mode-of-program.ts'

const offering = (...ids: readonly string[]) => ({
  values: ids.map((id) => ({ id, name: id, description: '' })),
})
const modesIn = (program: ReturnType<typeof offering>) =>
  permissionModes.map((mode) => modeOfProgram(program, mode))

test('each mode has one of Claude Code, Codex and Gemini CLI that decides no more by itself', () => {
  // default, acceptEdits, plan, dontAsk, bypassPermissions
  expect(modesIn(offering('auto', 'default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'))).toEqual(
    ['default', 'acceptEdits', 'plan', 'dontAsk', 'acceptEdits'],
  )
  expect(modesIn(offering('auto', 'read-only', 'full-access'))).toEqual(Array(5).fill('read-only'))
  expect(modesIn(offering('default', 'autoEdit', 'yolo', 'plan'))).toEqual([
    'default',
    'autoEdit',
    'plan',
    'default',
    'autoEdit',
  ])
})

test('a program without such a mode has none', () => {
  expect(modesIn(offering('build', 'plan'))).toEqual([null, null, 'plan', null, null])
  expect(modesIn(offering('full-access', 'yolo'))).toEqual(Array(5).fill(null))
})
