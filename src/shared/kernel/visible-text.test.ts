import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeVisible } from './visible-text.ts'

describe('makeVisible', () => {
  it('shows an escape sequence that would erase the line above', () => {
    expect(makeVisible('echo safe\x1b[1A\x1b[2Krm -rf ~')).toBe('echo safe⟨ESC⟩[1A⟨ESC⟩[2Krm -rf ~')
  })

  it('shows characters that change the reading direction', () => {
    expect(makeVisible('cat a\u202etxt.exe')).toBe('cat a⟨RLO⟩txt.exe')
    expect(makeVisible('\u2066x\u2069\u200f')).toBe('⟨LRI⟩x⟨PDI⟩⟨RLM⟩')
  })

  it('shows invisible characters: zero width, fillers, tags, unusual spaces, lone surrogates', () => {
    expect(makeVisible('a\u200bb\u3164c\u{e0041}d\u00a0e\ud800')).toBe(
      'a⟨ZWSP⟩b⟨U+3164⟩c⟨U+E0041⟩d⟨NBSP⟩e⟨U+D800⟩',
    )
  })

  it('shows a carriage return that overwrites, and keeps Windows line endings', () => {
    expect(makeVisible('rm -rf /\recho hi')).toBe('rm -rf /⟨CR⟩echo hi')
    expect(makeVisible('a\r\nb\tc')).toBe('a\r\nb\tc')
  })

  it('keeps languages and emoji unchanged', () => {
    const text = 'Grüße, 世界, שלום, 👩‍💻 👨🏽‍🚒 ❤️‍🔥 é'
    expect(makeVisible(text)).toBe(text)
  })

  it('leaves no hidden character in any text, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = makeVisible(text)
        expect(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/.test(shown)).toBe(
          false,
        )
        expect(makeVisible(shown)).toBe(shown)
      }),
    )
  })
})
