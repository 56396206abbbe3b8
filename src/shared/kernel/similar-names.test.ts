import { describe, expect, it } from 'vitest'
import { similarNames } from './similar-names.ts'

describe('similarNames', () => {
  it.each([
    ['Readme.md', ['README.md', 'package.json', 'src'], ['README.md']],
    ['index.js', ['index.ts', 'index.test.ts', 'main.ts'], ['index.test.ts', 'index.ts']],
    ['agnet-state.ts', ['agent-state.ts', 'agent-event.ts', 'content.ts'], ['agent-state.ts']],
    ['config.ts', ['app-config.ts', 'settings.ts'], ['app-config.ts']],
    ['x', ['a.ts', 'README.md'], []],
    ['nothing.like-it', ['README.md', 'src', 'package.json'], []],
  ])('%s', (name, names, near) => {
    expect(similarNames(name, names)).toEqual(near)
  })
})
