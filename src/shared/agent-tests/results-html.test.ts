import { parseHTML } from 'linkedom'
import { describe, expect, test } from 'vitest'
import { resultsHtml } from './results-html.ts'
import { DRAFT, IN_USE, sampleAttempt, sampleAttempts, sampleCase } from './testing/sample-results.ts'

const CHARGE = sampleCase('double charge')
const NASTY = sampleCase('<img src=//example.com/x onerror=alert(1)>')

const html = resultsHtml({
  agent: 'reviewer',
  at: Date.UTC(2026, 10, 26, 9, 30),
  cases: [CHARGE, NASTY],
  versions: [IN_USE, { ...DRAFT, note: '</style><script>alert(2)</script>' }],
  attempts: [
    ...sampleAttempts(CHARGE, IN_USE, 'pppppp'),
    ...sampleAttempts(CHARGE, DRAFT, 'ffffff'),
    sampleAttempt(NASTY, DRAFT, { number: 1, state: 'broken', because: 'The commit <b>abc</b> is gone.' }),
  ],
})
const { document } = parseHTML(html)
const textOf = (selector: string) =>
  [...document.querySelectorAll(selector)].map(({ textContent }) =>
    (textContent ?? '').replaceAll(/\s+/g, ' ').trim(),
  )

describe('the page of results', () => {
  test('shows each cell with what is known of it, and how it compares', () => {
    expect(document.title).toBe('reviewer: test results')
    expect(textOf('tbody tr:first-child td')).toEqual([
      '6 of 6 61% to 100% $0.05 · 0:43 · 24k',
      '0 of 6 worse 0% to 39%, p = 0.002 $0.05 · 0:43 · 24k',
    ])
    expect(textOf('tbody tr:nth-child(2) td')).toEqual(['nothing counts yet', 'nothing counts yet'])
    expect(textOf('tfoot td')[1]).toContain('0 of 6 all in all worse 1 worse')
    expect(document.querySelectorAll('tbody i.failed')).toHaveLength(6)
    expect(html).toContain('2026-11-26 09:30 UTC')
  })

  test('says why attempts did not pass', () => {
    expect(textOf('summary')).toHaveLength(7)
    expect(textOf('details').at(-1)).toContain('could not be run')
    expect(textOf('pre').at(-1)).toBe('The commit <b>abc</b> is gone.')
  })

  test('has no script, and nothing that is loaded from elsewhere', () => {
    expect(document.querySelectorAll('script, img, link, iframe, object, embed, [src], [href]')).toHaveLength(
      0,
    )
    expect(document.querySelectorAll('style')).toHaveLength(1)
    expect(
      [...document.querySelectorAll('*')].flatMap(({ attributes }) =>
        [...attributes].map(({ name }) => name),
      ),
    ).not.toContain('onerror')
    expect(html).not.toContain('url(')
    expect(html).not.toContain('@import')
    expect(document.querySelector('meta[http-equiv]')?.getAttribute('content')).toContain(
      "default-src 'none'",
    )
  })
})
