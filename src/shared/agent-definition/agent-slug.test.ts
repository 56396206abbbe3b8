import { describe, expect, test } from 'vitest'
import { agentSlug } from './agent-slug.ts'

describe('the slug of a name', () => {
  test('is the trimmed name in lowercase if that is a valid path on every system', () => {
    expect(agentSlug('db-2-reviewer')).toBe('db-2-reviewer')
    expect(agentSlug(' Explore ')).toBe('explore')
    expect(agentSlug('a'.repeat(40))).toBe('a'.repeat(40))
  })

  test('has six hex digits appended if characters were lost', () => {
    expect(agentSlug('plugin:review')).toMatch(/^plugin-review-[0-9a-f]{6}$/)
    expect(agentSlug('../../etc/passwd')).toMatch(/^etc-passwd-[0-9a-f]{6}$/)
    expect(agentSlug('a'.repeat(41))).toMatch(/^a{40}-[0-9a-f]{6}$/)
    expect(agentSlug('検査')).toMatch(/^[0-9a-f]{6}$/)
    expect(agentSlug('')).toMatch(/^[0-9a-f]{6}$/)
    expect(agentSlug('NUL')).toMatch(/^nul-[0-9a-f]{6}$/)
  })

  test('differs for names that differ only in lost characters', () => {
    const names = [
      'a b',
      'a_b',
      'a:b',
      'a-b',
      'a--b',
      '-a-b',
      'å-b',
      `${'x'.repeat(40)}1`,
      `${'x'.repeat(40)}2`,
    ]
    expect(new Set(names.map(agentSlug)).size).toBe(names.length)
  })

  test('has at most 40 letters and the digits', () => {
    for (const name of ['ü '.repeat(50), 'word '.repeat(20), '\u0000/\\'])
      expect(agentSlug(name)).toMatch(/^([a-z0-9-]{1,40}-)?[0-9a-f]{6}$/)
  })
})
