/** The choices of a session, in every shape in which programs offer them. */
import { expect, test } from 'vitest'
import { permissionModes } from '../../../shared/permissions/permission-modes.ts'
import { modeOfProgram, optionsIn, settingOf, valueNamed } from './session-options.ts'

test('options count before modes, also in groups, and parts of a wrong shape are left out', () => {
  const options = optionsIn({
    modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] },
    configOptions: [
      {
        type: 'select',
        id: 'm',
        name: 'Model',
        category: 'model',
        currentValue: 'a',
        options: [{ group: 'g', name: 'G', options: [{ value: 'a', name: 'A' }, { value: 5 }] }],
      },
      { type: 'select', id: 'without-a-value', name: 'x', options: [] },
      'text',
    ],
  })
  expect(options).toEqual([
    {
      id: 'm',
      name: 'Model',
      category: 'model',
      kind: 'option',
      current: 'a',
      values: [{ id: 'a', name: 'A', description: '' }],
    },
  ])
})

test('modes and models of programs without options are choices, each with its own request', () => {
  const options = optionsIn({
    modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] },
    models: { currentModelId: 'pro', availableModels: [{ modelId: 'pro', name: 'Pro' }] },
  })
  expect(options.map(({ id, category, current }) => [id, category, current])).toEqual([
    ['mode', 'mode', 'ask'],
    ['model', 'model', 'pro'],
  ])
  expect(options.map((option) => settingOf(option, 'x'))).toEqual([
    { method: 'session/set_mode', params: { modeId: 'x' } },
    { method: 'session/set_model', params: { modelId: 'x' } },
  ])
})

test.each([[null], [{}], [{ modes: 5, models: [], configOptions: {} }], ['x']])(
  '%j offers nothing',
  (answer) => {
    expect(optionsIn(answer)).toEqual([])
  },
)

test('a value is found by its id before its name', () => {
  const values = [
    { id: 'large', name: 'Small', description: '' },
    { id: 'Small', name: 'Other', description: '' },
  ]
  const option = { id: 'm', name: 'Model', category: 'model' as const, current: 'large', values }
  expect(valueNamed(option, 'SMALL')).toBe('Small')
  expect(valueNamed(option, ' other ')).toBe('Small')
  expect(valueNamed(option, 'medium')).toBeNull()
})

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
