import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, test } from 'vitest'
import { BodyPreview, sanitizeMarkdown } from './body-preview.tsx'

afterEach(cleanup)

const draw = (text: string) => render(<BodyPreview text={text} />).container

describe('an untrusted body', () => {
  test.each([
    '<script>alert(1)</script>',
    'text <img src=x onerror=alert(1)> text',
    '<style>body { background: url(https://evil.example/x) }</style>',
    '<a href="javascript:alert(1)">click</a>',
    '<div onclick="alert(1)">\n\n**bold**\n\n</div>',
    '[click](javascript:alert(1))',
    '[click](https://evil.example)',
    '<https://evil.example>',
    '![x](https://evil.example/track.png)',
    '[![x](https://evil.example/a.png)](https://evil.example)',
    '```mermaid\ngraph TD; A-->B\n```',
    '```html\n<script>alert(1)</script>\n```',
    '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
    '- [x] done',
    '$$\\href{javascript:alert(1)}{x}$$',
  ])('%j loads nothing and has no links', (hostile) => {
    for (const element of draw(hostile).querySelectorAll('section *')) {
      expect(element.tagName.toLowerCase()).toMatch(
        /^(?:div|p|span|strong|em|del|code|pre|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|hr|br)$/,
      )
      for (const { name } of element.attributes) expect(name).toMatch(/^(?:class|data-level)$/)
    }
  })

  test('raw HTML is plain text, and links show their target', () => {
    expect(draw('a\n\n<b>x</b>\n\n[bank](https://evil.example)').textContent).toContain('<b>x</b>')
    expect(screen.getByText('bank (https://evil.example)')).toBeTruthy()
  })

  test('all attributes are removed', () => {
    const tree = {
      type: 'root',
      children: [{ type: 'element', tagName: 'p', properties: { onClick: 'x' }, children: [] }],
    }
    sanitizeMarkdown()(tree)
    expect(tree.children).toEqual([{ type: 'element', tagName: 'p', properties: {}, children: [] }])
  })

  test('an image is replaced by its alternative text', () => {
    expect(draw('![the plan](https://evil.example/a.png)').textContent).toBe('[image: the plan]')
  })
})

test('headings, lists, quotes, code and tables', () => {
  const container = draw(
    '# Head\n\n- one\n- **two**\n\n1. three\n\n> said\n\n```\n  code\n```\n\n|a|\n|-|\n|b|',
  )
  expect(container.querySelector('[data-level="1"]')?.textContent).toBe('Head')
  expect(container.querySelectorAll('li')).toHaveLength(3)
  expect(container.querySelector('strong')?.textContent).toBe('two')
  expect(container.querySelector('blockquote')?.textContent?.trim()).toBe('said')
  expect(container.querySelector('pre')?.textContent).toBe('  code\n')
  expect(container.querySelectorAll('td')).toHaveLength(1)
})
