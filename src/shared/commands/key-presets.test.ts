import { expect, test } from 'vitest'
import { KEY_ACTIONS, keyConflicts, readKeys } from './key-bindings.ts'
import { type ClaudeKey, KEY_PRESETS, presetChanges, presetOf } from './key-presets.ts'

test.each(KEY_PRESETS)('the keys of $name are keys, and leave no conflict', ({ keys }) => {
  const bindings = Object.fromEntries(Object.entries(keys).map(([id, to]) => [id, { keys: to, line: null }]))
  for (const [id, to] of Object.entries(keys)) {
    expect(KEY_ACTIONS.some((action) => action.id === id)).toBe(true)
    expect(readKeys(to)).toEqual({ ok: true, keys: to })
  }
  expect([...keyConflicts({ bindings })]).toEqual([])
})

const line = (keys: string, action: string | null, at: number | null = null): ClaudeKey => ({
  ...{ context: 'Chat', keys, action, line: at },
})

test('keys of Claude Code become those of the same actions, also with a capital letter for Shift', () => {
  expect(
    presetOf([
      line('meta+p', 'chat:modelPicker'),
      line('ctrl+B', 'task:background'),
      line('f7', 'chat:cycleMode'),
    ]),
  ).toMatchObject({
    keys: { 'choose-model': 'Mod P', 'agent.background': 'Mod Shift B', 'choose-mode': 'F7' },
    unused: [],
  })
})

test('what can’t be used is told with its line and the reason', () => {
  const { keys, unused } = presetOf([
    line('ctrl+e', 'chat:externalEditor', 4),
    line('ctrl+k ctrl+s', 'chat:modelPicker', 5),
    line('shift+tab', 'chat:cycleMode', 6),
    line('ctrl+s', null, 7),
    line('hyper+x', 'chat:cycleMode'),
  ])
  expect(keys).toEqual({})
  expect(unused).toEqual([
    'Line 4: Troupe has no action like “chat:externalEditor”.',
    'Line 5: “ctrl+k ctrl+s” is pressed in two steps, which Troupe can’t do.',
    'Line 6: “shift+tab” for “chat:cycleMode”: Use Ctrl, Cmd, Alt or a function key: other keys type text.',
    'Line 7: “ctrl+s” only takes a key away from Claude Code.',
    '“hyper+x” for “chat:cycleMode”: “hyper” is not Ctrl, Cmd, Alt or Shift.',
  ])
})

test('a preset names the actions that change, and the conflicts with what stays', () => {
  const now = { bindings: { 'choose-model': { keys: 'Mod P', line: 1 } } }
  expect(
    presetChanges({ keys: { 'choose-model': 'Mod P', 'choose-mode': 'Mod K' } }, now).map(
      ({ action, from, to, conflicts }) => [action.id, from, to, conflicts],
    ),
  ).toEqual([['choose-mode', undefined, 'Mod K', ['Command palette']]])
})
