import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { triesOf } from '../../../shared/testing/tries.ts'
import {
  APP_URL,
  appFile,
  contentSecurityPolicy,
  isAppUrl,
  isTrustedSender,
  isWindowPage,
} from './app-origin.ts'

describe('the file of an app: URL', () => {
  const root = join(tmpdir(), 'window')
  test('is inside the folder and has a type', () => {
    expect(appFile(root, '/index.html')).toEqual({
      path: join(root, 'index.html'),
      contentType: 'text/html; charset=utf-8',
    })
    expect(appFile(root, '/assets/index-a%20b.js')?.path).toBe(join(root, 'assets', 'index-a b.js'))
  })

  test.each([
    '/../main/index.js',
    '/assets/../../main/index.js',
    '/%2e%2e/main/index.js',
    '/..%2fmain%2findex.js',
    '/..%5cmain%5cindex.js',
    '/%252e%252e/main/index.js',
    '//etc/shadow.json',
    '/assets//index.js',
    '/.hidden.js',
    '/assets/.git/config.json',
    '/index.html%00.png',
    '/C:/Windows/x.json',
    '/%',
    '/etc/passwd',
    '/',
    '',
    '/assets',
  ])('does not exist for %j', (pathname) => {
    expect(appFile(root, pathname)).toBeNull()
  })

  test('is never outside the folder', () => {
    const part = fc.constantFrom(
      '..',
      '.',
      '%2e',
      '%2f',
      '/',
      '\\',
      '%5c',
      'a',
      '%00',
      '%25',
      'x.js',
      '~',
      'C:',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const file = appFile(root, `/${parts.join('')}`)
        if (file) expect(file.path.startsWith(join(root, '/'))).toBe(true)
      }),
      { numRuns: triesOf(5000) },
    )
  })
})

describe('commands are accepted', () => {
  const page = (url: string, parent: object | null = null) => ({ url, parent })

  test('from the main frame of the program’s page', () => {
    expect(isTrustedSender(page(APP_URL), null)).toBe(true)
    expect(isTrustedSender(page('http://localhost:5173/index.html'), 'http://localhost:5173')).toBe(true)
  })

  test('from no other file of the program shown as a page', () => {
    expect(isTrustedSender(page('app://troupe/assets/picture.svg'), null)).toBe(false)
    expect(isWindowPage(`${APP_URL}?x=1#y`, null)).toBe(true)
  })

  test('from no inner frame, even with the program’s page', () => {
    expect(isTrustedSender(page(APP_URL, {}), null)).toBe(false)
  })

  test('from no destroyed frame', () => {
    expect(isTrustedSender(null, null)).toBe(false)
  })

  test.each([
    'https://troupe/index.html',
    'file:///index.html',
    'app://troupe.evil/index.html',
    'app://evil@troupe/index.html',
    'app://evil/index.html',
    'about:blank',
    'data:text/html,app://troupe/',
    'http://localhost:5174/',
    'http://localhost:5173.evil.com/',
    '',
  ])('not from %j', (url) => {
    expect(isTrustedSender(page(url), 'http://localhost:5173')).toBe(false)
    expect(isAppUrl(url, null)).toBe(false)
  })

  test('from the development server in development only', () => {
    expect(isTrustedSender(page('http://localhost:5173/'), null)).toBe(false)
  })
})

describe('the content security policy', () => {
  const directives = (development: boolean) =>
    new Map(
      contentSecurityPolicy({ development })
        .split('; ')
        .map((directive): [string, string] => {
          const space = directive.indexOf(' ')
          return [directive.slice(0, space), directive.slice(space + 1)]
        }),
    )

  test('lets a page run only parts of the program', () => {
    const policy = directives(false)
    expect(policy.get('default-src')).toBe("'none'")
    expect(policy.get('script-src')).toBe("'self'")
    expect(policy.get('connect-src')).toBe("'self'")
    expect(policy.get('img-src')).toBe("'self' data: blob:")
    for (const directive of ['frame-src', 'object-src', 'base-uri', 'form-action', 'frame-ancestors']) {
      expect(policy.get(directive)).toBe("'none'")
    }
    expect(contentSecurityPolicy({ development: false })).not.toMatch(/unsafe-(inline|eval)|https?:|\*|ws/)
  })

  test('is looser in development only, and never allows eval', () => {
    expect(directives(true).get('connect-src')).toContain('ws:')
    expect(contentSecurityPolicy({ development: true })).not.toContain('unsafe-eval')
  })
})
