import { describe, expect, test } from 'vitest'
import { isPublicAddress } from './public-address.ts'
import { parseWebAddress } from './web-address.ts'

/** Every spelling of an address that is not public, as a model or a redirect could write it. */
const REFUSED = `
127.0.0.1 127.1 127.0.1 127.000.000.001 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 017700000001 0177.0.0.1
127.255.255.254 0 0.0.0.0 0x0 000.000.000.000 10.0.0.1 10.255.255.255 0xa000001 167772161 012.0.0.1
172.16.0.1 172.31.255.255 192.168.0.1 192.168.1.1 3232235777 0xc0a80101 0300.0250.1.1 192.168.257
169.254.169.254 2852039166 0xa9fea9fe 0xA9.0xFE.0xA9.0xFE 0251.0376.0251.0376 169.254.43518 169.254.0.1
100.64.0.1 100.100.100.200 168.63.129.16 224.0.0.1 239.255.255.250 255.255.255.255 240.0.0.1 192.0.0.1
198.18.0.1 192.0.2.1 203.0.113.9 １２７.０.０.１ 127。0。0。1
[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:a9fe:a9fe]
[::127.0.0.1] [fe80::1] [fc00::1] [fd00:ec2::254] [fec0::1] [ff02::1] [64:ff9b::7f00:1] [64:ff9b::10.0.0.1]
[64:ff9b:1::7f00:1] [2002:7f00:1::] [2001::1] [2001:db8::1] [100::1] [5f00::1]
`
  .trim()
  .split(/\s+/)

test('there are more than sixty spellings', () => expect(REFUSED.length).toBeGreaterThan(60))

test.each(REFUSED)('%s is refused', (host) => {
  for (const scheme of ['http', 'https'])
    expect(parseWebAddress(`${scheme}://${host}/latest/meta-data`)).toMatchObject({
      ok: false,
      failure: { type: 'refused', message: expect.stringContaining('not on the public internet') },
    })
})

test.each([
  '8.8.8.8',
  '134744072',
  '1.1.1.1',
  '[2606:4700:4700::1111]',
  '[64:ff9b::8.8.8.8]',
  'example.com',
  '172.32.0.1',
  '169.253.0.1',
])('%s passes', (host) => {
  expect(parseWebAddress(`https://${host}/`)).toMatchObject({ ok: true })
})

test.each([
  'file:///etc/passwd',
  'ftp://example.com/',
  'data:text/html,hi',
  'javascript:alert(1)',
  'gopher://example.com',
  'https://user:secret@example.com/',
  'https://user@example.com/',
])('%s is refused', (address) => {
  expect(parseWebAddress(address)).toMatchObject({ ok: false, failure: { type: 'refused' } })
})

test.each(['', 'example.com', '/etc/passwd', 'https://', 'http://999.999.999.999/'])(
  '"%s" is no address',
  (text) => {
    expect(parseWebAddress(text)).toMatchObject({ ok: false, failure: { type: 'bad-address' } })
  },
)

describe('an address of a resolver', () => {
  test.each(['localhost', '', '999.1.1.1', 'example.com', 'fe80::1%eth0', '::ffff:192.168.0.1'])(
    '%s is not public',
    (address) => expect(isPublicAddress(address)).toBe(false),
  )
  test('a public one is', () => {
    expect(isPublicAddress('93.184.215.14')).toBe(true)
    expect(isPublicAddress('::ffff:93.184.215.14')).toBe(true)
  })
})
