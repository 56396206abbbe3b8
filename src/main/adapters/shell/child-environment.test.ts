import { describe, expect, it } from 'vitest'
import { childEnvironment } from './child-environment.ts'

describe('childEnvironment', () => {
  it('passes what commands need to find their way', () => {
    const needed = {
      PATH: '/bin',
      HOME: '/home/me',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      TERM: 'xterm',
      USER: 'me',
      SHELL: '/bin/zsh',
      TMPDIR: '/tmp',
      JAVA_HOME: '/opt/java',
      VIRTUAL_ENV: '/venv',
      https_proxy: 'http://proxy:3128',
    }
    expect(childEnvironment(needed)).toEqual(needed)
  })

  it('passes no key, no token, no password and nothing that steers how programs load code', () => {
    const secret = {
      ANTHROPIC_API_KEY: 'x',
      ANTHROPIC_AUTH_TOKEN: 'x',
      ANTHROPIC_BASE_URL: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      GITHUB_TOKEN: 'x',
      NPM_TOKEN: 'x',
      PGPASSWORD: 'x',
      SSH_AUTH_SOCK: 'x',
      TROUPE_HOME: 'x',
      ELECTRON_RUN_AS_NODE: '1',
      NODE_OPTIONS: '--require x',
      LD_PRELOAD: 'x',
      BASH_ENV: 'x',
      ENV: 'x',
      PATH_TOKEN: 'x',
      LC_SECRET_TOKEN: 'x',
      HTTPS_PROXY: 'http://me:password@proxy:3128',
      gone: undefined,
    }
    expect(childEnvironment(secret)).toEqual({})
  })
})
