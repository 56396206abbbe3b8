/** The choices of a session, in every shape in which programs offer them. */
import { expect, test } from 'vitest'
import { optionsOf, settingOf, valueNamed } from './session-options.ts'

test('options count before modes, also in groups, and parts of a wrong shape are left out', () => {
  const options = optionsOf({
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
  const options = optionsOf({
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
    expect(optionsOf(answer)).toEqual([])
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
