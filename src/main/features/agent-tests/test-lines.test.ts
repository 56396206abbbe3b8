import { expect, test } from 'vitest'
import type { AgentCase, AgentVersion, CaseAttempt } from '../../../shared/agent-tests/agent-tests.ts'
import { createTestProgress } from './test-lines.ts'

const cases = ['a', 'b'].map((name) => ({ file: `${name}.yaml`, name: `Case ${name}` }) as AgentCase)
const versions = [{ id: 'v', title: 'In use' }] as AgentVersion[]
const attempt = (id: string, caseFile: string, state: CaseAttempt['state']) =>
  ({ id, caseFile, versionId: 'v', state, number: Number(id.slice(1)), ms: 1500 }) as CaseAttempt

function progressOn(isTTY: boolean) {
  const written: string[] = []
  const progress = createTestProgress(
    {
      isTTY,
      size: () => ({ columns: 40, rows: 10 }),
      write: (text) => written.push(text),
      moveUp: (lines) => written.push(`up ${lines}`),
    },
    { cases, versions },
  )
  return { progress, written }
}

test('on a terminal a table shows each attempt, and goes before the results', () => {
  const { progress, written } = progressOn(true)
  progress.show([attempt('a1', 'a.yaml', 'waiting'), attempt('a2', 'a.yaml', 'waiting')])
  progress.show([attempt('b1', 'b.yaml', 'running')])
  progress.show([])
  progress.show([
    attempt('a1', 'a.yaml', 'passed'),
    attempt('a2', 'a.yaml', 'failed'),
    attempt('b1', 'b.yaml', 'broken'),
  ])
  progress.end()
  expect(written).toEqual([
    '        In use\nCase a  ··\n',
    'up 2',
    '        In use\nCase a  ··\nCase b  ●\n',
    'up 3',
    '        In use\nCase a  ✓✗\nCase b  !\n',
    'up 3',
  ])
})

test('elsewhere each attempt is a line once it has ended', () => {
  const { progress, written } = progressOn(false)
  progress.show([attempt('a1', 'a.yaml', 'waiting'), attempt('a2', 'a.yaml', 'running')])
  progress.show([attempt('a1', 'a.yaml', 'passed')])
  progress.show([attempt('a1', 'a.yaml', 'passed'), attempt('a2', 'a.yaml', 'failed')])
  progress.end()
  expect(written).toEqual([
    'passed: Case a, In use, attempt 1 (1.5 s)\n',
    'failed: Case a, In use, attempt 2 (1.5 s)\n',
  ])
})
