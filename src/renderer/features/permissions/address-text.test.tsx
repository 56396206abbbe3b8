import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { AddressText, addressParts } from './request-parts.tsx'

afterEach(cleanup)

test.each([
  ['https://docs.example.com/a?b=1', 'docs.example.com'],
  ['https://google.com@evil.example/x', 'evil.example'],
  ['https://google.com\\@evil.example/x', 'google.com'],
  ['http://127.0.0.1:8080/', '127.0.0.1:8080'],
  ['HTTPS://Docs.Example.com', 'Docs.Example.com'],
])('the host of %s is %s', (text, host) => {
  const parts = addressParts(text)
  expect(parts).toMatchObject({ host, real: null })
  expect(parts.before + parts.host + parts.after).toBe(text)
})

test('a host that is looked up under another name shows that name', () => {
  const { container } = render(<AddressText>https://аpple.com/</AddressText>)
  expect(container.querySelector('[data-host]')?.textContent).toBe('аpple.com')
  expect(container.textContent).toContain('This host is xn--pple-43d.com.')
  expect(addressParts('http://0x7f.1/').real).toBe('127.0.0.1')
})

test('a text that is no web address is shown as it is', () => {
  const { container } = render(<AddressText>weather in Paris</AddressText>)
  expect(container.textContent).toBe('weather in Paris')
  expect(addressParts('file:///etc/passwd').host).toBe('')
})
