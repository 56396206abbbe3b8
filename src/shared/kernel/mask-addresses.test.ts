import { expect, test } from 'vitest'
import { hasSecret, maskAddresses } from './mask-secrets.ts'

const TOKEN = 'a1B2c3D4e5F6g7H8i9J0'

test.each([
  ['https://me:hunter2@host/x.git', 'https://me:[secret]@host/x.git'],
  ['ssh://me:hunter2@host:22/x.git', 'ssh://me:[secret]@host:22/x.git'],
  ['git+https://me:hunter2@host/x', 'git+https://me:[secret]@host/x'],
  ['HTTPS://me:hunter2@host/x', 'HTTPS://me:[secret]@host/x'],
  ['https://me:p%40ss%2Fword@host/x', 'https://me:[secret]@host/x'],
  ['https://me:p@ss@host/x', 'https://me:[secret]@host/x'],
  ['https://me:pa/ss@host/x', 'https://me:[secret]@host/x'],
  ['https://:hunter2@host/x', 'https://:[secret]@host/x'],
  [`https://${TOKEN}@host/x`, 'https://[secret]@host/x'],
  [`https://${TOKEN}:x-oauth-basic@host/x`, 'https://[secret]:[secret]@host/x'],
  ['https://host/x?ref=a&private_token=hunter2', 'https://host/x?ref=a&private_token=[secret]'],
  ['https://host/x?access_token=hunter2#y', 'https://host/x?access_token=[secret]#y'],
  ['https://host/x?key=hunter2 and more', 'https://host/x?key=[secret] and more'],
])('%s is shown without its secret', (address, shown) => {
  expect(maskAddresses(`fatal: '${address}' failed`)).toBe(`fatal: '${shown}' failed`)
  expect(maskAddresses(shown)).toBe(shown)
  expect(hasSecret(address)).toBe(true)
})

test.each([
  'https://me@dev.azure.com/x/_git/y',
  'git@host:x.git',
  'ssh://git@host/x.git',
  'http://localhost:3000/@vite/client',
  'https://host/@scope/package?tab=readme',
  '["https://host:80","me@host"]',
  'file:///home/me/x.git',
])('%s has no secret', (address) => {
  expect(maskAddresses(address)).toBe(address)
})
