import { describe, expect, it } from "vitest";
import { callWithKey, newKey } from "../support/service.ts";
it("x", async () => {
 const key = await newKey("corporate");
 for (const body of [
  {jsonrpc:"2.0",id:1,method:"initialize",params:{protocolVersion:"2025-11-25",capabilities:{},clientInfo:{name:"c",version:"1"}}},
  {jsonrpc:"2.0",method:"notifications/initialized"},
  {jsonrpc:"2.0",id:2,method:"tools/list"},
  {jsonrpc:"2.0",id:2,method:"tools/call",params:{name:"list_plans"}},
  {jsonrpc:"2.0",id:2,method:"tools/call",params:{name:"get_usage"}},
  {jsonrpc:"2.0",id:2,method:"resources/list"},
  {jsonrpc:"2.0",id:2,method:"prompts/list"},
  {jsonrpc:"2.0",id:2,method:"resources/read",params:{uri:"svc://skills/debugging"}},
  {jsonrpc:"2.0",id:2,method:"prompts/get",params:{name:"debugging",arguments:{task:"x"}}},
  {jsonrpc:"2.0",id:2,method:"nope"},
 ]) { const t=performance.now(); const r = await callWithKey(key.key, "/v1/mcp", body); console.log(body.method, r.status, r.headers.get("content-type"), (await r.text()).slice(0,300), performance.now()-t); }
 throw new Error("x");
});
