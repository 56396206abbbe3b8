import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressAt, forgeKindOf, newRequestPage, readRemoteAddress } from './remote-address.ts'

function read(address: string) {
  const found = readRemoteAddress(address)
  if (!found.ok) return 'refused'
  if (found.value.kind === 'folder') return 'folder'
  const { host, port, path } = found.value
  return `${host}${port === null ? '' : `:${port}`} ${path.join('/')}`
}

describe('the address of a remote', () => {
  test.each([
    ['https://github.com/acme/shop.git', 'github.com acme/shop'],
    ['https://GitHub.com/acme/shop/', 'github.com acme/shop'],
    ['https://ada:secret@github.com/acme/shop', 'github.com acme/shop'],
    ['git@github.com:acme/shop.git', 'github.com acme/shop'],
    ['github.com:acme/shop', 'github.com acme/shop'],
    ['ssh://git@ssh.github.com:443/acme/shop.git', 'github.com acme/shop'],
    ['ssh://git@gitlab.example.org:2222/group/sub/shop.git', 'gitlab.example.org group/sub/shop'],
    ['https://git.example.org:8443/group/sub/deep/shop.git', 'git.example.org:8443 group/sub/deep/shop'],
    ['https://git.example.org:443/a/b', 'git.example.org a/b'],
    ['/srv/git/shop.git', 'folder'],
    ['../shop.git', 'folder'],
    ['C:\\git\\shop', 'folder'],
    ['file:///srv/git/shop.git', 'folder'],
  ])('%s', (address, expected) => expect(read(address)).toBe(expected))

  test.each([
    'ext::sh -c "touch /tmp/owned"',
    'fd::17',
    '-oProxyCommand=touch /tmp/owned',
    'ssh://-oProxyCommand=touch/x',
    'git@-oProxyCommand=touch:x/y',
    'https://github.com/../..',
    'https://github.com/acme/sh op',
    'https://github.com/acme/shop?x=1',
    'https://github.com/acme/{branch}',
    'https://github.com/acme\u0000/shop',
    '/srv/git/\u001b[2J',
    'https://github.com/acme/\u202eshop',
    'https://evil.org\\@github.com/acme/shop',
    'javascript://github.com/acme/shop',
    '',
  ])('refuses %s', (address) => expect(read(address)).toBe('refused'))

  const name = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,12}$/)
  const host = fc
    .tuple(name, name)
    .map(([a, b]) => `${a.replace(/[_-]+$|_/g, 'x')}.${b.replace(/[_-]+$|_/g, 'x')}`)
  const path = fc.array(name, { minLength: 2, maxLength: 5 })

  test('the same repository is read from each form of its address', () => {
    fc.assert(
      fc.property(host, path, (at, names) => {
        const joined = names.join('/')
        const expected = `${at} ${joined}`
        const forms = [
          `https://${at}/${joined}.git`,
          `https://${at}/${joined}/`,
          `http://ada@${at}/${joined}`,
          `git@${at}:${joined}.git`,
          `ssh://git@${at}:2222/${joined}`,
        ]
        for (const form of forms) expect(read(form)).toBe(expected)
      }),
    )
  })

  test('whatever is accepted has a plain host and plain names', () => {
    const piece = fc.constantFrom(
      'https://',
      'ssh://',
      'git@',
      'x',
      '::',
      '/',
      '-',
      '..',
      ':',
      '@',
      'a.b',
      ' ',
      '%',
      '\n',
      '?',
      '.git',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 10 }).map((all) => all.join('')),
        ),
        (address) => {
          const found = readRemoteAddress(address)
          if (!found.ok || found.value.kind === 'folder') return
          expect(found.value.host).toMatch(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/)
          for (const one of found.value.path) expect(one).toMatch(/^[\w.~-]+$/)
          expect(found.value.path).not.toContain('..')
        },
      ),
    )
  })
})

test('a forge is known by its host', () => {
  expect(['github.com', 'acme.ghe.com', 'github.example.org'].map(forgeKindOf)).toEqual([
    'github',
    'github',
    'github',
  ])
  expect(['gitlab.com', 'gitlab.example.org', 'my-gitlab.example.org'].map(forgeKindOf)).toEqual([
    'gitlab',
    'gitlab',
    'gitlab',
  ])
  expect(['bitbucket.org', 'codeberg.org'].map(forgeKindOf)).toEqual(['bitbucket', 'gitea'])
  expect(['git.example.org', 'notgithub.com', 'mygitlab.com'].map(forgeKindOf)).toEqual([null, null, null])
})

const shop = { host: 'git.example.org', port: '8443', path: ['group', 'shop'] }

test('only https addresses of the own host are opened', () => {
  expect(addressAt(shop, 'https://git.example.org:8443/group/shop/-/merge_requests/7')).not.toBeNull()
  for (const address of [
    'http://git.example.org:8443/x',
    'https://git.example.org/x',
    'https://git.example.org.evil.org:8443/x',
    'https://git.example.org:8443@evil.org/x',
    'https://ada:secret@git.example.org:8443/x',
    'javascript:alert(1)',
    'file:///etc/passwd',
    null,
  ])
    expect(addressAt(shop, address), String(address)).toBeNull()
})

test('the page for a new pull request is at the remote’s host, whatever the branch is called', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.constantFrom('github', 'gitlab', 'bitbucket', 'gitea', 'other'),
      (branch, title, kind) => {
        const page = newRequestPage(kind, shop, { branch, base: 'main', title, body: 'x'.repeat(9000) })
        expect(addressAt(shop, page)).not.toBeNull()
        expect(page.length).toBeLessThan(7000)
      },
    ),
  )
  const request = { branch: 'troupe/a b', base: 'main', title: 'A & B', body: 'It is done.' }
  expect(newRequestPage('github', { ...shop, port: null }, request)).toBe(
    'https://git.example.org/group/shop/compare/main...troupe/a%20b?expand=1&title=A+%26+B&body=It+is+done.',
  )
  expect(newRequestPage('gitlab', shop, request)).toContain(
    '/-/merge_requests/new?merge_request%5Bsource_branch%5D=troupe%2Fa+b',
  )
})
