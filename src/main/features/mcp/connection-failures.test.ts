import { expect, test } from 'vitest'
import { errorIn } from './connection-failures.ts'

test.each<readonly [string, string, string]>([
  [
    'Node',
    "node:internal/modules/cjs/loader:1148\n  throw err;\n  ^\n\nError: Cannot find module '/x'\n    at f (a.js:1)\n  code: 'MODULE_NOT_FOUND',\n}\n\nNode.js v22.1.0",
    "Error: Cannot find module '/x'",
  ],
  [
    'Python',
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyError: \'API_KEY\'\nsys:1: ResourceWarning',
    "KeyError: 'API_KEY'",
  ],
  [
    'Go',
    'panic: no config\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:5\nexit status 2',
    'panic: no config',
  ],
  [
    'Rust',
    "thread 'main' (7) panicked at src/main.rs:5:10:\nno such database\nnote: run with `RUST_BACKTRACE=1`",
    'no such database',
  ],
  [
    'Ruby',
    "a.rb:3:in `run': no token (ArgumentError)\n\tfrom a.rb:9:in `<main>'",
    "a.rb:3:in `run': no token (ArgumentError)",
  ],
  [
    'npm',
    'npm error code E404\nnpm error 404 Not Found - GET https://x/y\nnpm error 404\nnpm error A complete log of this run can be found in: /tmp/log',
    'npm error 404 Not Found - GET https://x/y',
  ],
  [
    'a log',
    '10:01 INFO starting\n10:02 ERROR database locked\n10:02 INFO bye',
    '10:02 ERROR database locked',
  ],
  ['a program that says little', 'cannot start\n\n', 'cannot start'],
])('the error of %s is found in what it wrote', (_, written, error) => {
  expect(errorIn(written.split('\n'))).toBe(error)
})

test('a program that wrote nothing has no error', () => {
  expect(errorIn(['', ' '])).toBeUndefined()
})
