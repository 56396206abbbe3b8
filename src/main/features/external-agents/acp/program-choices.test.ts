import type { PermissionOption } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { choicesOf } from './program-choices.ts'

const option = (kind: PermissionOption['kind'], name: string): PermissionOption => ({
  optionId: name,
  kind,
  name,
})
const names = (options: readonly PermissionOption[]) =>
  choicesOf(options).map(({ name, kind }) => `${kind}: ${name}`)

test('one answer of each plain kind is no choice', () => {
  expect(names([option('allow_once', 'Yes'), option('reject_once', 'No')])).toEqual([])
})

test('what the program keeps for longer is one', () => {
  expect(
    names([option('allow_once', 'Yes'), option('allow_always', 'This session'), option('reject_once', 'No')]),
  ).toEqual(['always: This session'])
})

test('of several answers of a kind all are, by their names', () => {
  expect(
    names([
      option('allow_always', 'Yes, auto mode'),
      option('allow_always', 'Yes, accept edits'),
      option('allow_once', 'Yes, ask me'),
      option('reject_once', 'No, keep planning'),
    ]),
  ).toEqual(['always: Yes, auto mode', 'always: Yes, accept edits', 'once: Yes, ask me'])
  expect(names([option('reject_once', 'No'), option('reject_always', 'Never')])).toEqual([
    'deny: No',
    'deny: Never',
  ])
})

test('answers of kinds that nobody knows are left out', () => {
  expect(names([option('allow_twice' as never, 'Twice'), option('allow_once', 'Yes')])).toEqual([])
})

test('no two answers have one name, and none has the name of Troupe’s own', () => {
  const id = (kind: PermissionOption['kind'], name: string, optionId: string) => ({ kind, name, optionId })
  expect(
    names([
      id('allow_always', 'Allow', 'session'),
      id('allow_always', 'Always Allow', 'server'),
      id('allow_always', 'Always allow', 'tool'),
      id('allow_once', 'Yes', 'yes'),
      id('reject_once', 'Yes', 'odd'),
      id('reject_always', 'Deny…', 'never'),
    ]),
  ).toEqual([
    'always: Allow (kept by the program)',
    'always: Always Allow (kept by the program)',
    'always: Always allow (kept by the program) (2)',
    'once: Yes (once)',
    'deny: Yes (denies)',
    'deny: Deny… (denies)',
  ])
})
