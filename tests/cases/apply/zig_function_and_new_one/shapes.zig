const std = @import("std");

pub const Shape = struct {
    side: u32,

    /// The area.
    pub fn area(self: Shape, scale: u32) u32 {
        return self.side * self.side * scale;
    }

    pub fn edge(self: Shape) u32 {
        return self.side;
    }
};

pub fn main() void {
    std.debug.print("x", .{});
}
