import { expect, test } from 'vitest'
import { boundKeys, FIXED_KEYS, KEY_ACTIONS, keyConflicts, readKeys } from './key-bindings.ts'

test.each([
  ['Ctrl+Shift+P', 'Mod Shift P'],
  ['cmd-k', 'Mod K'],
  ['Shift Mod .', 'Mod Shift .'],
  ['alt+arrowup', 'Alt ↑'],
  ['Mod +', 'Mod +'],
  ['ctrl+-', 'Mod -'],
  ['F5', 'F5'],
  ['option shift f12', 'Alt Shift F12'],
])('“%s” is read as %s', (text, keys) => {
  expect(readKeys(text)).toEqual({ ok: true, keys })
})

test.each([
  ['K', 'Use Ctrl, Cmd, Alt or a function key: other keys type text.'],
  ['Shift K', 'Use Ctrl, Cmd, Alt or a function key: other keys type text.'],
  ['Hyper K', '“Hyper” is not Ctrl, Cmd, Alt or Shift.'],
  ['Mod Foo', '“Foo” is not a key.'],
  ['Mod', '“Mod” is not a key.'],
  ['', '“” is not a key.'],
  ['Ctrl C', 'These keys edit text in every field.'],
  ['Mod Q', 'These keys quit Troupe.'],
])('“%s” is refused with the reason', (text, reason) => {
  expect(readKeys(text)).toEqual({ ok: false, reason })
})

test('every default is valid, and no two actions share keys', () => {
  for (const { id, keys } of KEY_ACTIONS)
    if (keys !== null) expect([id, readKeys(keys)]).toEqual([id, { ok: true, keys }])
  expect(keyConflicts({ bindings: {} })).toEqual(new Map())
})

test('a choice counts before the default, and none removes the keys', () => {
  const bindings = { palette: { keys: 'Mod P', line: 2 }, settings: { keys: null, line: 3 } }
  expect(boundKeys('palette', { bindings })).toBe('Mod P')
  expect(boundKeys('settings', { bindings })).toBeUndefined()
  expect(boundKeys('new-conversation', { bindings })).toBe('Mod N')
  expect(boundKeys('stop-all', { bindings })).toBeUndefined()
})

test('a conflict names the other action on both sides, and fixed keys beside a choice', () => {
  const taken = keyConflicts({ bindings: { 'stop-all': { keys: 'Mod K', line: 2 } } })
  expect(taken.get('stop-all')).toEqual(['Command palette'])
  expect(taken.get('palette')).toEqual(['Stop all agents'])
  const save = keyConflicts({ bindings: { 'stop-all': { keys: 'Mod S', line: 2 } } })
  expect(save).toEqual(new Map([['stop-all', ['Save (Agents view)']]]))
})

test('the keys within a part of the window are listed as fixed', () => {
  const requests = FIXED_KEYS.find(({ place }) => place === 'Permission requests')
  expect(requests?.lines.flatMap(({ keys }) => keys)).toEqual(expect.arrayContaining(['J', 'K', 'A', 'D']))
  expect(FIXED_KEYS.some(({ lines }) => lines.some(({ id }) => id !== undefined))).toBe(false)
})
