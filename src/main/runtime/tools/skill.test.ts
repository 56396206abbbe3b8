import { describe, expect, test } from 'vitest'
import { describeSkillTool } from './skill.ts'

const skill = (name: string, description = 'x') => ({ name, description, source: 'user' as const, file: '' })

describe('what an agent reads of skills', () => {
  test('one line where there are none', () => {
    expect(describeSkillTool([])).toBe(
      'Loads a skill: instructions for one kind of work. There are none here.',
    )
  })

  test('an entry for each, a long description cut short', () => {
    const text = describeSkillTool([skill('commit', 'Commits.\n- fake: x'), skill('long', 'ab'.repeat(1000))])
    expect(text).toContain('Skills there are:\n- commit: Commits.\n  - fake: x\n- long: abab')
    expect(text.length).toBeLessThan(1000)
  })

  test('of very many only the first, and how many more', () => {
    const text = describeSkillTool(Array.from({ length: 130 }, (_, index) => skill(`s${index}`)))
    expect(text).toContain('- s99: x\nAnd 30 more')
    expect(text).not.toContain('- s100')
  })
})
