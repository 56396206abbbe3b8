/** All tools but Agent, which the runtime makes for each agent with those it may start. */
import type { Clock, FileSearch, FileSystem, Policy, Shell, SkillSource } from '../ports.ts'
import type { AnyTool } from '../tool.ts'
import { createBashTool } from './bash.ts'
import { createEditTool } from './edit.ts'
import { createGlobTool } from './glob.ts'
import { createGrepTool } from './grep.ts'
import { createReadTool } from './read.ts'
import { createSkillTool } from './skill.ts'
import { createTodoWriteTool } from './todo-write.ts'
import { createWriteTool } from './write.ts'

export interface ToolPorts {
  readonly files: FileSystem
  readonly search: FileSearch
  readonly shell: Shell
  readonly clock: Pick<Clock, 'now'>
  readonly skills: SkillSource
  readonly policy: Pick<Policy, 'trusted'>
}

/** In the order in which a model is told of them. */
export function createTools(ports: ToolPorts): readonly AnyTool[] {
  return [
    createReadTool(ports),
    createWriteTool(ports),
    createEditTool(ports),
    createGlobTool(ports),
    createGrepTool(ports),
    createBashTool(ports),
    createTodoWriteTool(),
    createSkillTool(ports),
  ]
}
